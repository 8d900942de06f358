import { describe, expect, test } from 'vitest';
import { script, startSimulator } from './harness.ts';
import type { Loose, Running } from './harness.ts';
import { functionTool, openaiOf, responsesRequest, sendOpenai } from './openai-harness.ts';

const model = 'gpt-5.6-sol';
const deferred = functionTool('merge', { defer_loading: true, description: 'Merges two accounts.' });
const hosted = { type: 'tool_search' };
const clientSearch = {
  type: 'tool_search',
  execution: 'client',
  description: 'Finds tools.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'number' } },
    required: ['query'],
  },
};
const crm = {
  type: 'namespace',
  name: 'crm',
  description: 'Customers',
  tools: [deferred, functionTool('list', { defer_loading: true })],
};
const user = (content: string): Loose => ({ role: 'user', content });
const send = (running: Running, changes: Loose): Promise<Loose> =>
  sendOpenai(running, '/v1/responses', responsesRequest({ store: false, ...changes }));
const types = (reply: Loose): Loose => reply.json.output.map((item: Loose) => item.type);

describe('rule 1: deferral', () => {
  test('a deferred tool needs a search tool, also within a namespace or added later', async () => {
    await using running = await startSimulator();
    const added = [{ type: 'additional_tools', role: 'developer', tools: [deferred] }, user('x')];
    for (const changes of [{ tools: [deferred] }, { tools: [crm] }, { input: added }]) {
      expect((await send(running, changes)).json.error.message).toBe(
        "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
      );
    }
    expect((await send(running, { tools: [crm, hosted] })).status).toBe(200);
    expect(running.last()).toMatchObject({
      toolsDeclared: ['crm.merge', 'crm.list', 'tool_search'],
      toolsDeferred: ['crm.merge', 'crm.list'],
    });
  });

  test('a model without tool search refuses it', async () => {
    await using running = await startSimulator();
    const { json } = await send(running, { model: 'gpt-5.4-nano', tools: [deferred, hosted] });
    expect(json.error.message).toBe("Tool 'tool_search' is not supported with gpt-5.4-nano.");
  });

  test('a search of the client needs its output with the same call_id', async () => {
    await using running = await startSimulator();
    const pair = (callId: string): Loose[] => [
      user('x'),
      {
        type: 'tool_search_call',
        call_id: 'call_1',
        execution: 'client',
        status: 'completed',
        arguments: { query: 'q' },
      },
      { type: 'tool_search_output', call_id: callId, execution: 'client', status: 'completed', tools: [] },
    ];
    expect((await send(running, { input: pair('call_1') })).status).toBe(200);
    expect((await send(running, { input: pair('call_2') })).json.error.message).toBe(
      'No tool call found for tool search call output with call_id call_2.',
    );
    expect((await send(running, { input: pair('call_1').slice(0, 2) })).json.error.message).toBe(
      'No tool output found for tool search call call_1.',
    );
  });
});

describe('a search on the server', () => {
  test('a tool that waits is searched for and called in one response, and stays loaded', async () => {
    await using running = await startSimulator();
    const tools = [deferred, hosted];
    const input = [user(script({ tool: 'merge', input: { a: '1' } }, { tool: 'merge' }, { text: 'done' }))];
    const first = await send(running, { tools, input });
    expect(first.json.output).toMatchObject([
      { type: 'tool_search_call', call_id: null, execution: 'server', arguments: { paths: ['merge'] } },
      { type: 'tool_search_output', call_id: null, tools: [deferred] },
      { type: 'function_call', name: 'merge', namespace: 'merge', arguments: '{"a":"1"}' },
    ]);
    const answered = (reply: Loose): Loose[] => [
      ...reply.json.output,
      { type: 'function_call_output', call_id: reply.json.output.at(-1).call_id, output: 'r' },
    ];
    const second = await send(running, { tools, input: [...input, ...answered(first)] });
    expect(types(second)).toEqual(['function_call']);
    const third = await send(running, { tools, input: [...input, ...answered(first), ...answered(second)] });
    expect(third.json.output[0].content[0].text).toBe('done');
  });

  test('a namespace is loaded as a whole, and its members are called by both names', async () => {
    await using running = await startSimulator();
    for (const tool of ['crm.merge', 'crm__merge', 'merge']) {
      const { json } = await send(running, { tools: [crm, hosted], input: script({ tool }) });
      expect(json.output).toMatchObject([
        { arguments: { paths: ['crm'] } },
        { tools: [{ type: 'namespace', name: 'crm', description: 'Customers', tools: crm.tools }] },
        { type: 'function_call', namespace: 'crm', name: 'merge' },
      ]);
    }
  });

  test('a scripted search ranks what waits', async () => {
    await using running = await startSimulator();
    const tools = [deferred, functionTool('zip', { defer_loading: true }), hosted];
    const { json } = await send(running, { tools, input: script({ search: 'accounts' }) });
    expect(json.output[1].tools).toEqual([deferred]);
  });

  test("streamed, the SDK's response is the one that comes whole", async () => {
    await using running = await startSimulator();
    const response = await openaiOf(running)
      .responses.stream({ model, tools: [crm, hosted] as Loose, input: script({ tool: 'crm.list' }) })
      .finalResponse();
    expect(response.output.map((item) => item.type)).toEqual([
      'tool_search_call',
      'tool_search_output',
      'function_call',
    ]);
  });
});

describe('a search on the client', () => {
  const tools = [functionTool('read'), clientSearch];
  const found = (callId: string, list: Loose[]): Loose => ({
    type: 'tool_search_output',
    call_id: callId,
    execution: 'client',
    status: 'completed',
    tools: list,
  });

  test('it ends the response; the same step goes on with the tools that the client found', async () => {
    await using running = await startSimulator();
    const input = [
      user(script({ text: 'Here.', search: 'merge accounts', limit: 3, tool: 'merge' }, { text: 'done' })),
    ];
    const first = await send(running, { tools, input });
    const [search] = first.json.output;
    expect(first.json.output).toMatchObject([
      { type: 'tool_search_call', execution: 'client', arguments: { query: 'merge accounts', limit: 3 } },
    ]);
    const second = await send(running, {
      tools,
      input: [...input, search, found(search.call_id, [deferred])],
    });
    const [text, call] = second.json.output;
    expect(text.content[0].text).toBe('Here.');
    expect(call).toMatchObject({ type: 'function_call', name: 'merge', namespace: 'merge' });
    const third = await send(running, {
      tools,
      input: [
        ...input,
        search,
        found(search.call_id, [deferred]),
        text,
        call,
        { type: 'function_call_output', call_id: call.call_id, output: 'r' },
      ],
    });
    expect(third.json.output[0].content[0].text).toBe('done');
  });

  test('a search that found nothing is not repeated', async () => {
    await using running = await startSimulator();
    const input = [user(script({ search: 'merge', tool: 'merge' }))];
    const first = await send(running, { tools, input });
    const [search] = first.json.output;
    const second = await send(running, { tools, input: [...input, search, found(search.call_id, [])] });
    expect(second.json.output[0].content[0].text).toBe('no tool merge');
  });

  test('a declared tool that waits is asked for by its name', async () => {
    await using running = await startSimulator();
    const { json } = await send(running, {
      tools: [crm, clientSearch],
      input: script({ tool: 'crm.merge' }),
    });
    expect(json.output).toMatchObject([
      { type: 'tool_search_call', execution: 'client', arguments: { query: 'crm.merge', limit: 1 } },
    ]);
  });

  test('a pair that the model never emitted loads its tools and is no turn', async () => {
    await using running = await startSimulator();
    const input = [user(script({ tool: 'read' }, { tool: 'merge' }))];
    const first = await send(running, { tools: [functionTool('read')], input });
    const [call] = first.json.output;
    const injected = [
      { type: 'tool_search_call', call_id: 'call_ours', execution: 'client', arguments: {} },
      found('call_ours', [deferred]),
    ];
    const { json } = await send(running, {
      tools: [functionTool('read')],
      input: [
        ...input,
        call,
        { type: 'function_call_output', call_id: call.call_id, output: 'r' },
        ...injected,
      ],
    });
    expect(json.output).toMatchObject([{ type: 'function_call', name: 'merge' }]);
  });
});

describe('additional_tools', () => {
  const added = { type: 'additional_tools', role: 'developer', tools: [functionTool('late')] };

  test('they can be called from there on, and only the developer adds them', async () => {
    await using running = await startSimulator();
    const prompt = user(script({ tool: 'late' }));
    expect((await send(running, { input: [prompt] })).json.output[0].content[0].text).toBe('no tool late');
    expect((await send(running, { input: [added, prompt] })).json.output).toMatchObject([{ name: 'late' }]);
    expect((await send(running, { input: [prompt, added] })).json.output).toMatchObject([{ name: 'late' }]);
    expect((await send(running, { input: [{ ...added, role: 'user' }, prompt] })).json.error).toMatchObject({
      code: 'invalid_value',
      param: 'input[0].role',
    });
  });

  test('their shapes are checked like any', async () => {
    await using running = await startSimulator();
    const bad = { ...added, tools: [{ type: 'function' }] };
    expect((await send(running, { input: [bad, user('x')] })).json.error.param).toBe(
      'input[0].tools[0].name',
    );
  });
});

describe('rule 2: what the prompt shows', () => {
  const long = (length: number): Loose => ({
    type: 'object',
    properties: { a: { type: 'string', description: 'x'.repeat(length) } },
  });
  const tokensOf = async (running: Running, changes: Loose): Promise<number> =>
    (await send(running, changes)).json.usage.input_tokens;

  test('of a deferred function name and description, of a namespace its own, of neither a schema', async () => {
    await using running = await startSimulator();
    const waiting = { ...deferred, parameters: long(4_000) };
    const loaded = { ...waiting, defer_loading: false };
    const space = { ...crm, tools: [{ ...waiting, description: 'y'.repeat(4_000) }] };
    expect(await tokensOf(running, { tools: [loaded] })).toBeGreaterThan(1_000);
    expect(await tokensOf(running, { tools: [waiting, hosted] })).toBeLessThan(60);
    expect(await tokensOf(running, { tools: [space, hosted] })).toBeLessThan(60);
    const described = { ...waiting, description: 'y'.repeat(4_000) };
    expect(await tokensOf(running, { tools: [described, hosted] })).toBeGreaterThan(1_000);
  });

  test('a loaded definition stands where it was loaded: the prefix before it stays', async () => {
    await using running = await startSimulator();
    const tools = [deferred, hosted];
    const input = [user(script({ tool: 'merge' }))];
    const { json } = await send(running, { tools, instructions: 'Be brief.', input });
    const before = running.last();
    const result = { type: 'function_call_output', call_id: json.output[2].call_id, output: 'r' };
    await send(running, { tools, instructions: 'Be brief.', input: [...input, ...json.output, result] });
    const after = running.last();
    expect(before.renderedPrefixHashes).toHaveLength(5);
    expect(after.renderedPrefixHashes.slice(0, 5)).toEqual(before.renderedPrefixHashes);
    expect(after.renderedPrefixHashes).toHaveLength(9);
    expect(after.prefixTokens).toBe(before.prefixTokens);
  });

  test.each<[string, Loose]>([
    ['the model', { model: 'gpt-5.5' }],
    ['text.format', { text: { format: { type: 'json_object' } } }],
    ['text.verbosity', { text: { verbosity: 'low' } }],
    ['reasoning.effort', { reasoning: { effort: 'low' } }],
    ['parallel_tool_calls', { parallel_tool_calls: false }],
  ])('%s changes it from its start, tool_choice and metadata do not', async (_, changes) => {
    await using running = await startSimulator();
    await send(running, {});
    const [head] = running.last().renderedPrefixHashes;
    await send(running, { tool_choice: 'auto', metadata: { a: 'b' } });
    expect(running.last().renderedPrefixHashes[0]).toBe(head);
    await send(running, changes);
    expect(running.last().renderedPrefixHashes[0]).not.toBe(head);
  });
});
