import { describe, expect, test } from 'vitest';
import { declaration, sendGemini } from './gemini-harness.ts';
import { startSimulator } from './harness.ts';
import type { Loose } from './harness.ts';

const signing = 'gemini-3.8-flash';
const older = 'gemini-2.5-flash-lite';
const said = { role: 'user', parts: [{ text: 'x' }] };
const call = { functionCall: { name: 'read', args: {} } };
const model = (...parts: Loose[]): Loose => ({ role: 'model', parts });
const results = (...names: string[]): Loose => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: {} } })),
});
const parameters = (schema: Loose): Loose => ({
  tools: [{ functionDeclarations: [{ name: 'read', parameters: schema }] }],
});

async function refusalOf(changes: Loose, id = older): Promise<Loose> {
  await using running = await startSimulator();
  const { status, json } = await sendGemini(running, `${id}:generateContent`, {
    contents: [said],
    ...changes,
  });
  if (status === 200) return 'accepted';
  expect(json.error.code).toBe(status);
  return `${json.error.status} ${json.error.message.trim()}`;
}

const cannotFind = (name: string, place: string): string =>
  `INVALID_ARGUMENT Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`;

describe('a Gemini request', () => {
  test.each<[string, Loose, string]>([
    ['an unknown field', { messages: [] }, cannotFind('messages', '')],
    [
      'an unknown field of a part',
      { contents: [{ parts: [{ text: 'x', surprise: 1 }] }] },
      cannotFind('surprise', " at 'contents[0].parts[0]'"),
    ],
    [
      'an unknown field of the configuration',
      { generationConfig: { max_tokens: 1 } },
      cannotFind('max_tokens', " at 'generation_config'"),
    ],
    [
      'no contents',
      { contents: [] },
      'INVALID_ARGUMENT * GenerateContentRequest.contents: contents is not specified',
    ],
    [
      'no parts',
      { contents: [{ role: 'user', parts: [] }] },
      'INVALID_ARGUMENT * GenerateContentRequest.contents[0].parts: contents.parts must not be empty.',
    ],
    [
      'an unknown role',
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
      'INVALID_ARGUMENT Please use a valid role: user, model.',
    ],
    [
      'a name twice',
      { tools: [{ functionDeclarations: [declaration('a')] }, { functionDeclarations: [declaration('a')] }] },
      'INVALID_ARGUMENT Duplicate function declaration found: a',
    ],
    [
      'what only JSON Schema has',
      parameters({ type: 'OBJECT', properties: { a: { type: 'STRING', const: 'x' } } }),
      cannotFind('const', " at 'tools[0].function_declarations[0].parameters.properties[0].value'"),
    ],
    [
      'a list of types',
      parameters({ type: 'OBJECT', properties: { a: { type: ['string', 'null'] } } }),
      `INVALID_ARGUMENT Invalid JSON payload received. Unknown name "type" at 'tools[0].function_declarations[0].parameters.properties[0].value': Proto field is not repeating, cannot start list.`,
    ],
    [
      'an object without properties',
      parameters({ type: 'object', properties: {} }),
      'INVALID_ARGUMENT * GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty for OBJECT type',
    ],
    [
      'an array of nothing',
      parameters({ type: 'object', properties: { a: { type: 'array' } } }),
      'INVALID_ARGUMENT * GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[a].items: missing field.',
    ],
    [
      'a mode without functions',
      { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
      'INVALID_ARGUMENT Function calling config is set without function_declarations.',
    ],
    [
      'a cache that there is not',
      { cachedContent: 'cachedContents/x' },
      'PERMISSION_DENIED CachedContent not found (or permission denied)',
    ],
  ])('%s is refused', async (_, changes, refusal) => {
    expect(await refusalOf(changes)).toBe(refusal);
  });

  test('a bad name is refused', async () => {
    const tools = [{ functionDeclarations: [declaration('1st')] }];
    expect(await refusalOf({ tools })).toMatch(/function_declarations\[0\]\.name: Invalid function name\./);
  });

  test('snake_case is read like camelCase, and JSON Schema has a field of its own', async () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const tools = [{ function_declarations: [{ name: 'read', parameters_json_schema: schema }] }];
    const system_instruction = { parts: [{ text: 'x' }] };
    expect(await refusalOf({ tools, system_instruction })).toBe('accepted');
  });

  test.each<[string, Loose[], string]>([
    ['calls and as many results', [said, model(call, call), results('read', 'read')], 'accepted'],
    [
      'fewer results than calls',
      [said, model(call, call), results('read')],
      'INVALID_ARGUMENT Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    ],
    [
      'calls without results',
      [said, model(call), said],
      'INVALID_ARGUMENT Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    ],
    [
      'results without calls',
      [said, results('read')],
      'INVALID_ARGUMENT Please ensure that function response turn comes immediately after a function call turn.',
    ],
    [
      'calls that nobody asked for',
      [model(call), results('read')],
      'INVALID_ARGUMENT Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    ],
  ])('turns: %s', async (_, contents, outcome) => {
    expect(await refusalOf({ contents })).toBe(outcome);
  });

  test('a prompt that is too long is refused', async () => {
    await using running = await startSimulator({ contextTokens: { [older]: 10 } });
    const contents = [{ parts: [{ text: 'x'.repeat(44) }] }];
    const { json } = await sendGemini(running, `${older}:generateContent`, { contents });
    expect(json.error.message).toBe(
      'The input token count (11) exceeds the maximum number of tokens allowed (10).',
    );
  });
});

describe('thought signatures', () => {
  const tools = [{ functionDeclarations: [declaration('read'), declaration('write')] }];
  const ask = { role: 'user', parts: [{ text: 'call read' }] };

  /** The model's own turn with a call. */
  async function called(): Promise<Loose> {
    await using running = await startSimulator();
    const { json } = await sendGemini(running, `${signing}:generateContent`, { tools, contents: [ask] });
    return json.candidates[0].content;
  }

  test('a model that signs its calls wants the first signature back', async () => {
    const content = await called();
    const contents = [ask, content, results('read')];
    expect(await refusalOf({ tools, contents }, signing)).toBe('accepted');
    const bare = { role: 'model', parts: [{ functionCall: content.parts[0].functionCall }] };
    expect(await refusalOf({ tools, contents: [ask, bare, results('read')] }, signing)).toMatch(
      /^INVALID_ARGUMENT Function call is missing a thought_signature in functionCall parts\..* function call `default_api:read` , position 2\./,
    );
    expect(await refusalOf({ tools, contents: [ask, bare, results('read')] })).toBe('accepted');
  });

  test('not of turns before the last words of the user, and not of the second call at once', async () => {
    const bare = { role: 'model', parts: [call] };
    const old = [said, bare, results('read'), model({ text: 'y' }), said];
    expect(await refusalOf({ contents: old }, signing)).toBe('accepted');
    const two = { role: 'model', parts: [...(await called()).parts, call] };
    expect(await refusalOf({ contents: [ask, two, results('read', 'read')] }, signing)).toBe('accepted');
  });

  test('one that was not made here is refused; the blank ones of other clients are taken', async () => {
    const signed = (thoughtSignature: string): Loose => [
      said,
      model({ ...call, thoughtSignature }),
      results('read'),
    ];
    expect(await refusalOf({ contents: signed('AAAA') })).toBe(
      'INVALID_ARGUMENT Corrupted thought signature.',
    );
    const contents = signed('skip_thought_signature_validator');
    expect(await refusalOf({ contents }, signing)).toBe('accepted');
  });
});

test('no key is a 403, an unknown method a 404', async () => {
  await using running = await startSimulator();
  const anonymous = await sendGemini(running, `${older}:generateContent`, {}, { 'x-goog-api-key': '' });
  expect([anonymous.status, anonymous.json.error.status]).toEqual([403, 'PERMISSION_DENIED']);
  const strange = await sendGemini(running, `${older}:embedContent`, {});
  expect([strange.status, strange.json.error.status]).toEqual([404, 'NOT_FOUND']);
});
