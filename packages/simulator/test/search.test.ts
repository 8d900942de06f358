import { describe, expect, test } from 'vitest';
import { bm25, regex, requestOf, script, startSimulator, tool, user } from './harness.ts';
import type { Loose } from './harness.ts';

const schema = (properties: Record<string, unknown>): Loose => ({
  input_schema: { type: 'object', properties },
});
const deferred = { defer_loading: true };
const fillers = Array.from({ length: 35 }, (_, index) =>
  tool(`filler_${index}`, { ...deferred, description: 'Nothing much.' }),
);
const tools = [
  tool('loaded_link', { description: 'add link' }),
  tool('board_add_link', { ...deferred, description: 'Puts an address on a board.' }),
  tool('openTicket', { ...deferred, description: 'Reports a fault.' }),
  tool('breadcrumb_show', { ...deferred, description: 'Where you are.' }),
  tool('read_note', { ...deferred, description: 'Shows a note.' }),
  tool('theme_edit', {
    ...deferred,
    description: 'Sets colours.',
    ...schema({ palette: { type: 'string', description: 'Hue of the board' } }),
  }),
  ...fillers,
];

/** Names that a search finds, or the whole error. */
async function find(input: Loose, search = bm25): Promise<Loose> {
  await using running = await startSimulator();
  const blocks = script({ search: input.query ?? input.pattern, limit: input.limit });
  const { json } = await running.send(requestOf({ tools: [...tools, search], messages: [user(blocks)] }));
  const result = json.content.find((block: Loose) => block.type === 'tool_search_tool_result').content;
  return result.tool_references?.map((reference: Loose) => reference.tool_name) ?? result;
}

describe('BM25 (rule 13)', () => {
  test.each([
    ['an exact name', 'read_note', 'read_note'],
    ['the words of a name', 'add link', 'board_add_link'],
    ['a name in camel case', 'open ticket', 'openTicket'],
    ['a whole name among others', 'openTicket', 'openTicket'],
    ['a word of the description', 'fault', 'openTicket'],
    ['the name of an argument', 'palette', 'theme_edit'],
    ['the description of an argument', 'hue', 'theme_edit'],
  ])('finds a tool by %s', async (_, query, name) => {
    expect((await find({ query }))[0]).toBe(name);
  });

  test('puts an exact name first, whatever speaks louder of it', async () => {
    await using running = await startSimulator();
    const loud = tool('memo_memo', { ...deferred, description: 'memo memo memo' });
    const quiet = tool('memo', { ...deferred, description: 'One of many things. '.repeat(20) });
    const request = requestOf({ tools: [loud, quiet, bm25], messages: [user(script({ search: 'memo' }))] });
    const { content } = (await running.send(request)).json.content[1];
    expect(content.tool_references.map((reference: Loose) => reference.tool_name)).toEqual([
      'memo',
      'memo_memo',
    ]);
  });

  test('finds whole words only, and nothing is no error', async () => {
    expect(await find({ query: 'bread' })).toEqual([]);
    expect(await find({ query: 'qqqq' })).toEqual([]);
  });

  test('never finds a tool that is loaded anyway', async () => {
    expect(await find({ query: 'loaded_link' })).not.toContain('loaded_link');
  });

  test('answers 5, or as many as `limit` says', async () => {
    expect(await find({ query: 'filler' })).toEqual([
      'filler_0',
      'filler_1',
      'filler_2',
      'filler_3',
      'filler_4',
    ]);
    expect(await find({ query: 'filler', limit: 1 })).toEqual(['filler_0']);
    expect(await find({ query: 'filler', limit: 30 })).toHaveLength(30);
  });

  test.each([
    ['a query of 501 characters', { query: 'x'.repeat(501) }],
    ['a limit of 0', { query: 'x', limit: 0 }],
    ['a limit of 10,001', { query: 'x', limit: 10_001 }],
  ])('%s is an error that the model sees', async (_, input) => {
    expect(await find(input)).toMatchObject({
      type: 'tool_search_tool_result_error',
      error_code: 'invalid_tool_input',
    });
  });
});

describe('regex (rule 13)', () => {
  test('matches any part, without case, over all that is searched', async () => {
    expect(await find({ pattern: 'TICKET$' }, regex)).toEqual(['openTicket']);
    expect(await find({ pattern: '^(?:read|board)_' }, regex)).toEqual(['board_add_link', 'read_note']);
    expect(await find({ pattern: '(?i)hue of' }, regex)).toEqual(['theme_edit']);
    expect(await find({ pattern: 'qqqq' }, regex)).toEqual([]);
  });

  test('an expression that does not parse, or is too long, is an error that the model sees', async () => {
    expect(await find({ pattern: '(' }, regex)).toMatchObject({
      error_code: 'invalid_tool_input',
      error_message: expect.stringMatching(/^Invalid regular expression pattern: /),
    });
    expect(await find({ pattern: 'x'.repeat(201) }, regex)).toMatchObject({
      error_code: 'invalid_tool_input',
    });
  });
});

describe('a deferred tool that is to be called', () => {
  test.each([
    ['BM25', bm25, { query: 'read_note', limit: 1 }],
    ['regex', regex, { pattern: '^read_note$', limit: 1 }],
  ])('is searched for by its exact name first, with %s', async (_, search, input) => {
    await using running = await startSimulator();
    const { json } = await running.send(
      requestOf({
        tools: [...tools, search],
        messages: [user(script({ tool: 'read_note', input: { id: 1 } }))],
      }),
    );
    const [call, result, use] = json.content;
    expect(call).toMatchObject({
      type: 'server_tool_use',
      name: search.name,
      input,
      caller: { type: 'direct' },
    });
    expect(result).toEqual({
      type: 'tool_search_tool_result',
      tool_use_id: call.id,
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: 'read_note' }],
      },
    });
    expect(use).toMatchObject({ type: 'tool_use', name: 'read_note', input: { id: 1 } });
    expect(json.stop_reason).toBe('tool_use');
    expect(json.usage).not.toHaveProperty('server_tool_use.tool_search_requests');
  });

  test('is called at once where the history has loaded it', async () => {
    await using running = await startSimulator();
    const prompt = user(script({ tool: 'read_note' }, { tool: 'read_note' }));
    const first = await running.send(requestOf({ tools: [...tools, bm25], messages: [prompt] }));
    const result = { type: 'tool_result', tool_use_id: first.json.content[2].id, content: 'r' };
    const messages = [prompt, { role: 'assistant', content: first.json.content }, user([result])];
    const second = await running.send(requestOf({ tools: [...tools, bm25], messages }));
    expect(second.json.content.map((block: Loose) => block.type)).toEqual(['tool_use']);
  });

  test("is called at once where a client's own search has loaded it", async () => {
    await using running = await startSimulator();
    const call = { type: 'tool_use', id: 'toolu_1', name: 'loaded_link', input: {} };
    const result = {
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [{ type: 'tool_reference', tool_name: 'read_note' }],
    };
    const messages = [
      user('x'),
      { role: 'assistant', content: [call] },
      user([result, { type: 'text', text: script({ tool: 'read_note' }) }]),
    ];
    const { json } = await running.send(requestOf({ tools, messages }));
    expect(json.content.map((block: Loose) => block.type)).toEqual(['tool_use']);
  });

  test('is called at once where a system message added it, and not after one removed it', async () => {
    await using running = await startSimulator();
    const change = (type: string): Loose => ({ type, tool: { type: 'tool_reference', name: 'read_note' } });
    const send = async (...changes: Loose[]): Promise<Loose> => {
      const messages = [user(script({ tool: 'read_note' })), { role: 'system', content: changes }];
      const headers = { 'anthropic-beta': 'mid-conversation-tool-changes-2026-07-01' };
      return (await running.send(requestOf({ tools, messages }), headers)).json.content[0];
    };
    expect(await send(change('tool_addition'))).toMatchObject({ type: 'tool_use', name: 'read_note' });
    expect(await send(change('tool_addition'), change('tool_removal'))).toEqual({
      type: 'text',
      text: 'no tool read_note',
    });
  });

  test('is called at once where a system message defined it', async () => {
    await using running = await startSimulator();
    const definition = tool('hotfix', { ...schema({ nonce: { type: 'string' } }) });
    const change = { type: 'tool_addition', tool: { type: 'tool_definition', definition } };
    const messages = [user(script({ tool: 'hotfix' })), { role: 'system', content: [change] }];
    const reply = await running.send(requestOf({ tools, messages }), {
      'anthropic-beta': 'inline-tools-2026-09-15',
    });
    expect(reply.json.content).toMatchObject([{ type: 'tool_use', name: 'hotfix' }]);
  });

  test('is searched for before any call of a step that calls together', async () => {
    await using running = await startSimulator();
    const step = { tools: [{ tool: 'read_note' }, { tool: 'write_note' }], together: true };
    const { json } = await running.send(
      requestOf({
        tools: [
          tool('a'),
          ...['read_note', 'write_note'].map((name) => tool(name, { defer_loading: true })),
          bm25,
        ],
        messages: [user(script(step))],
      }),
    );
    const [one, other] = json.content;
    expect(json.content).toMatchObject([
      { type: 'server_tool_use', input: { query: 'read_note' } },
      { type: 'server_tool_use', input: { query: 'write_note' } },
      { type: 'tool_search_tool_result', tool_use_id: one.id },
      { type: 'tool_search_tool_result', tool_use_id: other.id },
      { type: 'tool_use', name: 'read_note' },
      { type: 'tool_use', name: 'write_note' },
    ]);
  });

  test('can not be called without a search tool, unless the script forces it', async () => {
    await using running = await startSimulator();
    const send = async (step: Loose): Promise<Loose> =>
      (await running.send(requestOf({ tools, messages: [user(script(step))] }))).json.content;
    expect(await send({ tool: 'read_note' })).toEqual([{ type: 'text', text: 'no tool read_note' }]);
    expect(await send({ tool: 'read_note', force: true })).toMatchObject([{ type: 'tool_use' }]);
    expect(await send({ tool: 'gone' })).toEqual([{ type: 'text', text: 'no tool gone' }]);
  });

  test('a reply may hold search blocks alone, ended or paused, and goes on from there', async () => {
    await using running = await startSimulator();
    const prompt = user(script({ search: 'note', stop: 'pause_turn' }, { tool: 'read_note' }));
    const body = requestOf({ tools: [...tools, bm25] });
    const first = await running.send({ ...body, messages: [prompt] });
    expect(first.json.content.map((block: Loose) => block.type)).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
    ]);
    expect(first.json.stop_reason).toBe('pause_turn');
    const second = await running.send({
      ...body,
      messages: [prompt, { role: 'assistant', content: first.json.content }],
    });
    expect(second.json.content.map((block: Loose) => block.type)).toEqual(['tool_use']);
  });
});
