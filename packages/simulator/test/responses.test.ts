import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { followedBy, script, startSimulator } from './harness.ts';
import type { Loose, Running } from './harness.ts';
import { functionTool, openaiOf, responsesRequest, sendOpenai } from './openai-harness.ts';

const model = 'gpt-5.6-sol';
const tools = [functionTool('read'), functionTool('write')];
/** Output as it may come back: the SDK's stream adds members that the API refuses. */
function asInput(output: readonly unknown[]): OpenAI.Responses.ResponseInput {
  return JSON.parse(
    JSON.stringify(output, (key, value: unknown) =>
      key === 'parsed_arguments' || key === 'parsed' ? undefined : value,
    ),
  ) as OpenAI.Responses.ResponseInput;
}

const send = (running: Running, changes: Loose, headers = {}): Promise<Loose> =>
  sendOpenai(running, '/v1/responses', responsesRequest(changes), headers);

describe("OpenAI's SDK on Responses", () => {
  test('plain: text and usage come as its types say', async () => {
    await using running = await startSimulator();
    const response = await openaiOf(running).responses.create({ model, input: 'hello' });
    expect(response).toMatchObject({ object: 'response', status: 'completed', output_text: 'ok', model });
    expect(response.usage).toEqual(running.last().usage);
    expect(running.last()).toMatchObject({ path: '/v1/responses', status: 200, model, stream: false });
    expect(running.last().cost?.totalUsd).toBeGreaterThan(0);
  });

  test('a streamed turn with a thought, a text and two calls at once, then the answer to their results', async () => {
    await using running = await startSimulator();
    const client = openaiOf(running);
    const step = {
      thinking: 'I should read both.',
      text: 'I read.',
      tools: [
        { tool: 'read', input: { a: 'ä' } },
        { tool: 'write', input: {} },
      ],
    };
    const base = {
      model,
      tools,
      store: false,
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    } as const;
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: script(step, { text: 'done' }) }];
    const first = await client.responses
      .stream({ ...base, tools, include: [...base.include], input })
      .finalResponse();
    expect(first.output.map((item) => item.type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ]);
    expect(first.output[0]).toMatchObject({ summary: [{ text: 'I should read both.' }] });
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ['read', { a: 'ä' }],
      ['write', {}],
    ]);
    const results = calls.map((call) => ({
      type: 'function_call_output' as const,
      call_id: call.call_id,
      output: 'r',
    }));
    const second = await client.responses.create({
      ...base,
      tools,
      include: [...base.include],
      input: [...input, ...asInput(first.output), ...results],
    });
    expect(second.output_text).toBe('done');
    expect(second.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  });

  test('errors arrive as its own classes, with code, param and the request id', async () => {
    await using running = await startSimulator();
    const ask = (changes: Loose, headers: Record<string, string> = {}, key?: string): Promise<unknown> =>
      openaiOf(running, key).responses.create({ model, input: 'x', ...changes }, { headers });
    await expect(ask({ model: 'gpt-nope' })).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(ask({ model: 'gpt-nope' })).rejects.toMatchObject({
      code: 'model_not_found',
      requestID: expect.stringMatching(/^req_/),
    });
    await expect(ask({}, {}, 'sk-wrong')).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    await expect(ask({}, {}, 'sk-wrong')).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const limited = ask({}, { 'x-simulator-fault': '429;retry-after=3' });
    await expect(limited).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(limited).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    for (const status of ['500', '503']) {
      const failed = ask({}, { 'x-simulator-fault': status });
      await expect(failed).rejects.toBeInstanceOf(OpenAI.InternalServerError);
      await expect(failed).rejects.toMatchObject({ type: 'server_error' });
    }
    await expect(ask({ surprise: 1 })).rejects.toMatchObject({
      code: 'unknown_parameter',
      param: 'surprise',
    });
  });

  test('it retries what may be retried, and then succeeds', async () => {
    await using running = await startSimulator();
    const client = new OpenAI({ apiKey: 'k', baseURL: `${running.url}/v1`, maxRetries: 1, logLevel: 'off' });
    const fault = followedBy(
      { fault: 'status', status: 503, headers: { 'retry-after-ms': '1' } },
      { text: 'at last' },
    );
    const response = await client.responses.create({ model, input: script(fault) });
    expect(response.output_text).toBe('at last');
    expect(running.simulator.requests().map((request) => request.status)).toEqual([503, 200]);
  });

  test('a stream that the client gives up ends, and the next request is answered', async () => {
    await using running = await startSimulator();
    const client = openaiOf(running);
    const stream = await client.responses.create(
      { model, input: script({ text: 'word '.repeat(2_000) }), stream: true },
      { headers: { 'x-simulator-chunking': 'slow' } },
    );
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    expect(stream.controller.signal.aborted).toBe(true);
    expect((await client.responses.create({ model, input: 'x' })).output_text).toBe('ok');
  });

  test('previous_response_id goes on where the stored response ended', async () => {
    await using running = await startSimulator();
    const client = openaiOf(running);
    const first = await client.responses.create({
      model,
      tools,
      input: script({ tool: 'read' }, { text: 'done' }),
    });
    const [call] = first.output;
    const output = {
      type: 'function_call_output' as const,
      call_id: call?.type === 'function_call' ? call.call_id : '',
      output: 'r',
    };
    const second = await client.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [output],
    });
    expect(second.output_text).toBe('done');
    await expect(
      client.responses.create({ model, previous_response_id: 'resp_none', input: 'x' }),
    ).rejects.toMatchObject({ code: 'previous_response_not_found' });
  });
});

describe('a fault in a streamed response', () => {
  const read = async (running: Running, step: Loose): Promise<Loose> => {
    const types: string[] = [];
    try {
      const stream = await openaiOf(running).responses.create({ model, input: script(step), stream: true });
      for await (const event of stream) types.push(event.type);
      return { types, error: undefined };
    } catch (error) {
      return { types, error };
    }
  };
  const text = { text: 'a text of some length' };

  test('drop: the connection breaks after the first piece', async () => {
    await using running = await startSimulator();
    const { types, error } = await read(running, followedBy({ fault: 'drop' }, text));
    expect(types.at(-1)).toBe('response.output_text.delta');
    expect(error).toBeInstanceOf(Error);
  });

  test('fin: the stream ends without its last event', async () => {
    await using running = await startSimulator();
    const { types, error } = await read(running, followedBy({ fault: 'fin' }, text));
    expect([types.at(-1), error]).toEqual(['response.output_text.delta', undefined]);
  });

  test('errevent: an error in the midst is an APIError with its code', async () => {
    await using running = await startSimulator();
    const { types, error } = await read(
      running,
      followedBy({ fault: 'errevent', etype: 'rate_limit_exceeded' }, text),
    );
    expect(types.at(-1)).toBe('response.output_text.delta');
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded' });
  });

  test('failed: response.failed with its error; whole, a response of that status', async () => {
    await using running = await startSimulator();
    const step = followedBy({ fault: 'failed', etype: 'server_error', times: 2 }, text);
    expect((await read(running, step)).types.at(-1)).toBe('response.failed');
    const whole = await openaiOf(running).responses.create({ model, input: script(step) });
    expect(whole).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output: [] });
  });

  test('stop max_tokens: response.incomplete, streamed and whole', async () => {
    await using running = await startSimulator();
    const step = { ...text, stop: 'max_tokens' };
    expect((await read(running, step)).types.at(-1)).toBe('response.incomplete');
    const whole = await openaiOf(running).responses.create({ model, input: script(step) });
    expect(whole).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
  });

  test('badevent, badblock: something strange, and the rest', async () => {
    await using running = await startSimulator();
    for (const fault of ['badevent', 'badblock']) {
      const { types, error } = await read(running, followedBy({ fault }, text));
      expect([types.at(-1), error]).toEqual(['response.completed', undefined]);
    }
  });
});

describe('what the model says on Responses', () => {
  test('a refusal is a part of its own', async () => {
    await using running = await startSimulator();
    const { json } = await send(running, { input: script({ text: 'No.', stop: 'refusal' }) });
    expect(json.output[0].content).toEqual([{ type: 'refusal', refusal: 'No.' }]);
  });

  test('a plain instruction is obeyed, and the result of the call is none', async () => {
    await using running = await startSimulator();
    const input: Loose[] = [{ role: 'user', content: 'Please call read.' }];
    const { json } = await send(running, { tools, input });
    expect(json.output).toMatchObject([{ type: 'function_call', name: 'read', arguments: '{}' }]);
    const output = { type: 'function_call_output', call_id: json.output[0].call_id, output: 'call write' };
    const second = await send(running, { tools, input: [...input, ...json.output, output] });
    expect(second.json.output[0].content[0].text).toBe('ok');
  });

  test("the test's own script is asked first, with the conversation", async () => {
    const seen: Loose[] = [];
    await using running = await startSimulator({
      script: (conversation) => {
        seen.push(conversation);
        return conversation.turns.length === 1 ? { tool: 'read', input: { a: 'b' } } : undefined;
      },
    });
    const { json } = await send(running, { tools, input: script({ text: 'not this' }) });
    expect(json.output).toMatchObject([{ name: 'read', arguments: '{"a":"b"}' }]);
    expect(seen[0]).toMatchObject({ api: 'responses', model, turns: [{ isUser: true }] });
    expect([...seen[0].tools.keys()]).toEqual(['read', 'write']);
  });

  test('tool_choice: none forbids, a name forces, allowed_tools restricts', async () => {
    await using running = await startSimulator();
    const input = script({ tool: 'write' });
    const ask = async (tool_choice: unknown, prompt = input): Promise<Loose> =>
      (await send(running, { tools, input: prompt, tool_choice })).json.output[0];
    expect((await ask('none')).content[0].text).toBe('ok');
    expect(await ask({ type: 'function', name: 'write' }, 'x')).toMatchObject({ name: 'write' });
    expect(await ask('required', 'x')).toMatchObject({ name: 'read' });
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'read' }] };
    expect((await ask(allowed)).content[0].text).toBe('no tool write');
  });

  test('parallel_tool_calls false: one call at a time', async () => {
    await using running = await startSimulator();
    const input = script({ tools: [{ tool: 'read' }, { tool: 'write' }] });
    const { json } = await send(running, { tools, input, parallel_tool_calls: false });
    expect(json.output.map((item: Loose) => item.name)).toEqual(['read']);
  });

  test('items go out as the script wrote them, with the ids that they lack', async () => {
    await using running = await startSimulator();
    const blocks = [
      { type: 'message', content: [{ type: 'output_text', text: 'hi' }] },
      { type: 'function_call', name: 'read', arguments: '{"broken' },
    ];
    const response = await openaiOf(running)
      .responses.stream({ model, input: script({ blocks }) })
      .finalResponse();
    expect(response.output).toMatchObject(blocks);
    expect(response.output[1]).toMatchObject({
      call_id: expect.stringMatching(/^call_/),
      id: expect.stringMatching(/^fc_/),
    });
  });

  test('a custom tool is called with a text', async () => {
    await using running = await startSimulator();
    const custom = { type: 'custom', name: 'exec', description: 'Runs code.' };
    const input = script({ tool: 'exec', input: { input: 'ls' } });
    const { json } = await send(running, { tools: [custom], input });
    expect(json.output).toMatchObject([{ type: 'custom_tool_call', name: 'exec', input: 'ls' }]);
  });
});

describe('the events of a streamed response (rule 6)', () => {
  test('they come in the order of the API, numbered from 0', async () => {
    await using running = await startSimulator();
    const input = script({ thinking: 'hm', text: 'hi', tool: 'read', input: { a: 'b' } });
    const stream = await openaiOf(running).responses.create({
      model,
      tools,
      input,
      stream: true,
      reasoning: { summary: 'auto' },
    });
    const events: Loose[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
    expect(events.map((event) => event.type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    expect(
      events.filter((event) => event.output_index !== undefined).map((event) => event.output_index),
    ).toEqual([...Array<number>(6).fill(0), ...Array<number>(6).fill(1), ...Array<number>(4).fill(2)]);
    expect(events.at(-1).response.usage).toEqual(running.last().usage);
  });
});
