import { describe, expect, test } from 'vitest';
import { script, startSimulator } from './harness.ts';
import type { Loose } from './harness.ts';
import { functionTool, responsesRequest, sendOpenai } from './openai-harness.ts';

async function refusalOf(changes: Loose, headers: Record<string, string> = {}): Promise<Loose> {
  await using running = await startSimulator();
  const { status, json } = await sendOpenai(running, '/v1/responses', responsesRequest(changes), headers);
  if (status === 200) return 'accepted';
  expect(running.last()).toMatchObject({ status, error: { message: json.error.message }, cost: null });
  return { status, ...json.error };
}

const said = { role: 'user', content: 'x' };
const call = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'call_1', output: 'r' };
const invalid = (message: string, code: string | null, param: string): Loose => ({
  status: 400,
  message,
  type: 'invalid_request_error',
  code,
  param,
});
const unknown = (param: string): Loose =>
  invalid(`Unknown parameter: '${param}'.`, 'unknown_parameter', param);
const missing = (param: string): Loose =>
  invalid(`Missing required parameter: '${param}'.`, 'missing_required_parameter', param);

describe('a Responses body', () => {
  test.each<[string, Loose, Loose]>([
    ['an unknown member', { surprise: 1 }, unknown('surprise')],
    ['no model', { model: undefined }, missing('model')],
    ['no input', { input: undefined }, missing('input')],
    [
      'a wrong type',
      { max_output_tokens: '10' },
      invalid(
        "Invalid type for 'max_output_tokens': expected an integer, but got a string instead.",
        'invalid_type',
        'max_output_tokens',
      ),
    ],
    [
      'too few output tokens',
      { max_output_tokens: 1 },
      invalid(
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
        'integer_below_min_value',
        'max_output_tokens',
      ),
    ],
    [
      'an unknown effort',
      { reasoning: { effort: 'huge' } },
      invalid(
        "Invalid value: 'huge'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'.",
        'invalid_value',
        'reasoning.effort',
      ),
    ],
    [
      'an effort that the model does not take',
      { model: 'gpt-5.1', reasoning: { effort: 'minimal' } },
      invalid(
        "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
        'unsupported_value',
        'reasoning.effort',
      ),
    ],
    [
      'stream options without a stream',
      { stream_options: {} },
      invalid(
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        null,
        'stream_options',
      ),
    ],
    [
      'a temperature on a reasoning model',
      { temperature: 0.2 },
      invalid(
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
        'unsupported_value',
        'temperature',
      ),
    ],
    [
      'an effort on a model that does not reason',
      { model: 'gpt-4.1', reasoning: { effort: 'low' } },
      invalid(
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        'unsupported_parameter',
        'reasoning.effort',
      ),
    ],
    [
      'an include that there is not',
      { include: ['everything'] },
      expect.objectContaining({ code: 'invalid_value', param: 'include[0]' }),
    ],
  ])('%s is refused', async (_, changes, refusal) => {
    expect(await refusalOf(changes)).toEqual(refusal);
  });

  test('an unknown model is a 404, no JSON a 400, no key a 401', async () => {
    expect(await refusalOf({ model: 'claude-opus-5-5' })).toMatchObject({
      status: 404,
      message: 'The model `claude-opus-5-5` does not exist or you do not have access to it.',
      code: 'model_not_found',
    });
    await using running = await startSimulator();
    const broken = await sendOpenai(running, '/v1/responses', '{');
    expect(broken.json.error.message).toMatch(/^We could not parse the JSON body of your request/);
    const anonymous = await sendOpenai(running, '/v1/responses', responsesRequest(), { authorization: '' });
    expect([anonymous.status, anonymous.json.error.type]).toEqual([401, 'invalid_request_error']);
    expect(anonymous.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('an unknown path is a 404 in the envelope of OpenAI', async () => {
    await using running = await startSimulator();
    const { status, json } = await sendOpenai(running, '/v1/embeddings', {});
    expect([status, json.error.type]).toEqual([404, 'invalid_request_error']);
  });
});

describe('the tools of a Responses request', () => {
  test.each<[string, Loose, Loose]>([
    ['one without a name', { type: 'function' }, missing('tools[0].name')],
    [
      "Chat's shape",
      { type: 'function', function: { name: 'read', parameters: {} } },
      missing('tools[0].name'),
    ],
    ['an unknown member', functionTool('read', { surprise: 1 }), unknown('tools[0].surprise')],
    [
      'a bad name',
      functionTool('no spaces'),
      invalid(
        "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        'invalid_value',
        'tools[0].name',
      ),
    ],
    [
      'a long name',
      functionTool('x'.repeat(65)),
      invalid(
        "Invalid 'tools[0].name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
        'string_above_max_length',
        'tools[0].name',
      ),
    ],
    ['an unknown type', { type: 'magic' }, expect.objectContaining({ param: 'tools[0].type' })],
    [
      'a schema that is no object',
      functionTool('read', { parameters: { type: 'string' } }),
      invalid(
        `Invalid schema for function 'read': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`,
        'invalid_function_parameters',
        'tools[0].parameters',
      ),
    ],
    [
      'a schema without properties',
      functionTool('read', { parameters: { type: 'object' } }),
      invalid(
        "Invalid schema for function 'read': In context=(), object schema missing properties.",
        'invalid_function_parameters',
        'tools[0].parameters',
      ),
    ],
    [
      'an array of nothing',
      functionTool('read', { parameters: { type: 'object', properties: { a: { type: 'array' } } } }),
      invalid(
        "Invalid schema for function 'read': In context=('properties', 'a'), array schema missing items.",
        'invalid_function_parameters',
        'tools[0].parameters',
      ),
    ],
    [
      'a strict schema that lets others in',
      functionTool('read', { strict: true }),
      invalid(
        "Invalid schema for function 'read': In context=(), 'additionalProperties' is required to be supplied and to be false.",
        'invalid_function_parameters',
        'tools[0].parameters',
      ),
    ],
    [
      'a strict schema with an optional property',
      functionTool('read', {
        strict: true,
        parameters: { type: 'object', properties: { a: {} }, additionalProperties: false },
      }),
      invalid(
        "Invalid schema for function 'read': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'a'.",
        'invalid_function_parameters',
        'tools[0].parameters',
      ),
    ],
  ])('%s is refused', async (_, tool, refusal) => {
    expect(await refusalOf({ tools: [tool] })).toEqual(refusal);
  });

  test('a name twice is refused, but not in two namespaces', async () => {
    const twice = [functionTool('read'), functionTool('read')];
    expect(await refusalOf({ tools: twice })).toMatchObject({ code: 'invalid_value', param: 'tools' });
    const spaces = ['a', 'b'].map((name) => ({
      type: 'namespace',
      name,
      description: 'd',
      tools: [functionTool('read')],
    }));
    expect(await refusalOf({ tools: spaces })).toBe('accepted');
  });

  test('hosted tools are taken as they are, dated or not', async () => {
    const tools = [
      { type: 'web_search' },
      { type: 'web_search_preview_2025_03_11' },
      { type: 'local_shell' },
    ];
    expect(await refusalOf({ tools })).toBe('accepted');
  });

  test('a tool_choice needs its tool', async () => {
    expect(
      await refusalOf({ tools: [functionTool('read')], tool_choice: { type: 'function', name: 'nope' } }),
    ).toMatchObject({ message: "Tool choice 'nope' not found in 'tools' parameter.", param: 'tool_choice' });
  });
});

describe('the input of a Responses request', () => {
  test.each<[string, Loose[], Loose]>([
    [
      'an unknown role',
      [{ role: 'tool', content: 'x' }],
      invalid(
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        'invalid_value',
        'input[0].role',
      ),
    ],
    ['an unknown item', [{ type: 'magic' }], expect.objectContaining({ param: 'input[0]' })],
    ['an unknown member', [{ ...said, surprise: 1 }], unknown('input[0].surprise')],
    ['a call without arguments', [{ ...call, arguments: undefined }], missing('input[0].arguments')],
    [
      "the SDK's own member",
      [said, { ...call, parsed_arguments: null }, output],
      unknown('input[1].parsed_arguments'),
    ],
    [
      'an empty call_id',
      [{ ...output, call_id: '' }],
      invalid(
        "Invalid 'input[0].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
        'empty_string',
        'input[0].call_id',
      ),
    ],
    [
      'an id of another kind',
      [said, { ...call, id: 'toolu_1' }, output],
      invalid(
        "Invalid 'input[1].id': 'toolu_1'. Expected an ID that begins with 'fc'.",
        'invalid_value',
        'input[1].id',
      ),
    ],
    [
      "a part of the model's from the user",
      [{ role: 'user', content: [{ type: 'output_text', text: 'x' }] }],
      expect.objectContaining({ param: 'input[0].content[0]' }),
    ],
    [
      'rule 1: an output without its call',
      [said, output],
      invalid('No tool call found for function call output with call_id call_1.', null, 'input'),
    ],
    [
      'rule 1: an output before its call',
      [said, output, call],
      invalid('No tool call found for function call output with call_id call_1.', null, 'input'),
    ],
    [
      'rule 1: a call without its output',
      [said, call, { role: 'user', content: 'never mind' }],
      invalid('No tool output found for function call call_1.', null, 'input'),
    ],
    [
      'rule 1: one of two calls at once without its output',
      [said, call, { ...call, call_id: 'call_2' }, output],
      invalid('No tool output found for function call call_2.', null, 'input'),
    ],
    [
      'rule 1: a call of a custom tool without its output',
      [said, { type: 'custom_tool_call', call_id: 'c', name: 'exec', input: 'ls' }],
      invalid('No tool output found for custom tool call c.', null, 'input'),
    ],
    [
      'a sealed thought that is none',
      [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'AAAA' }, call, output],
      invalid(
        'The encrypted content AAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
        'invalid_encrypted_content',
        'input',
      ),
    ],
    [
      'a thought that nobody stored',
      [{ type: 'reasoning', id: 'rs_1', summary: [] }, call, output],
      expect.objectContaining({ status: 404, param: 'input' }),
    ],
  ])('%s is refused', async (_, input, refusal) => {
    expect(await refusalOf({ input })).toEqual(refusal);
  });

  test('rule 1: an output may stand anywhere after its call', async () => {
    expect(await refusalOf({ input: [said, call, { role: 'developer', content: 'x' }, output, said] })).toBe(
      'accepted',
    );
  });

  test('a thought needs what came of it', async () => {
    await using running = await startSimulator();
    const base = { include: ['reasoning.encrypted_content'], store: false };
    const input = [{ role: 'user', content: script({ thinking: 'hm', text: 'hi' }) }];
    const { json } = await sendOpenai(running, '/v1/responses', responsesRequest({ ...base, input }));
    const [thought, message] = json.output;
    const again = (items: Loose[]): Promise<Loose> =>
      sendOpenai(running, '/v1/responses', responsesRequest({ ...base, input: [...input, ...items, said] }));
    expect((await again([thought, message])).status).toBe(200);
    expect((await again([thought])).json.error.message).toBe(
      `Item '${thought.id}' of type 'reasoning' was provided without its required following item.`,
    );
  });

  test('a reference finds what was stored, and nothing else', async () => {
    await using running = await startSimulator();
    const first = await sendOpenai(running, '/v1/responses', responsesRequest({ input: 'x' }));
    const ask = (id: string): Promise<Loose> =>
      sendOpenai(
        running,
        '/v1/responses',
        responsesRequest({ input: [said, { type: 'item_reference', id }, said] }),
      );
    expect((await ask(first.json.output[0].id)).status).toBe(200);
    expect((await ask('msg_none')).json.error.message).toMatch(/^Item with id 'msg_none' not found\./);
  });
});

describe('a prompt that is too long', () => {
  test('is refused with context_length_exceeded, unless it may be cut', async () => {
    await using running = await startSimulator({ contextTokens: { 'gpt-5.6-sol': 100 } });
    const ask = (changes: Loose): Promise<Loose> =>
      sendOpenai(running, '/v1/responses', responsesRequest({ input: 'x'.repeat(404), ...changes }));
    expect((await ask({})).json.error).toEqual({
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      type: 'invalid_request_error',
      param: 'input',
      code: 'context_length_exceeded',
    });
    expect((await ask({ truncation: 'auto' })).status).toBe(200);
    expect((await ask({ input: 'x'.repeat(400) })).status).toBe(200);
  });
});
