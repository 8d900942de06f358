import { describe, expect, test } from 'vitest';
import { catalog, parseCatalogOverrides } from '@quartermaster/catalog';
import { assistant, requestOf, startSimulator, system, tool, user } from './harness.ts';
import type { Loose, Running } from './harness.ts';

/** One token a character, so that every figure here can be added up by hand; the minimum stays 512. */
const plainCatalog = parseCatalogOverrides(
  {
    models: {
      'claude-opus-5-5': { billedPerO200k: 1 },
      'claude-opus-5': { billedPerO200k: 1 },
      'claude-opus-4-8': { billedPerO200k: 1 },
    },
  },
  catalog,
);
const minuteMs = 60_000;

function start(): Promise<Running> {
  return startSimulator({ catalog: plainCatalog, countTokens: (text) => text.length });
}

/** `[plain, read, written for 5 m, written for 1 h]` */
async function bill(running: Running, body: Loose, headers: Record<string, string> = {}): Promise<number[]> {
  const reply = await running.send(requestOf(body), headers);
  if (reply.status !== 200) throw new Error(reply.text);
  const { usage } = reply.json;
  return [
    usage.input_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation.ephemeral_5m_input_tokens,
    usage.cache_creation.ephemeral_1h_input_tokens,
  ];
}

function text(length: number, ttl?: '5m' | '1h', letter = 'x'): Loose {
  const mark = ttl === undefined ? {} : { cache_control: { type: 'ephemeral', ttl } };
  return { type: 'text', text: letter.repeat(length), ...mark };
}

describe('usage (rules 10 and 11)', () => {
  test('a first request writes, an equal second one reads', async () => {
    await using running = await start();
    const body = { system: [text(600, '1h')], messages: [user([text(300, '5m'), text(50)])] };
    expect(await bill(running, body)).toEqual([50, 0, 300, 600]);
    expect(await bill(running, body)).toEqual([50, 900, 0, 0]);
  });

  test('A, B and C: a read, then a long write, then a short one, then the rest', async () => {
    await using running = await start();
    expect(await bill(running, { system: [text(600, '1h')] })).toEqual([5, 0, 0, 600]);
    const body = { system: [text(600, '1h'), text(100, '1h')], messages: [user([text(40, '5m'), text(7)])] };
    expect(await bill(running, body)).toEqual([7, 600, 40, 100]);
  });

  test('the cost is the list price of each class', async () => {
    await using running = await start();
    await bill(running, { system: [text(600, '1h')] });
    await bill(running, {
      system: [text(600, '1h'), text(100, '1h')],
      messages: [user([text(40, '5m'), text(7)])],
    });
    expect(running.last().cost).toMatchObject({
      inputUsd: (7 * 4) / 1e6,
      cacheReadUsd: (600 * 0.2) / 1e6,
      cacheWriteShortUsd: (40 * 5) / 1e6,
      cacheWriteLongUsd: (100 * 8) / 1e6,
    });
  });

  test('a prefix below the minimum of the model is neither written nor read', async () => {
    await using running = await start();
    const body = { system: [text(511, '5m')] };
    expect(await bill(running, body)).toEqual([516, 0, 0, 0]);
    expect(await bill(running, body)).toEqual([516, 0, 0, 0]);
    expect(await bill(running, { system: [text(512, '5m')] })).toEqual([5, 0, 512, 0]);
    const older = { model: 'claude-opus-4-8', system: [text(1_023, '5m')] };
    expect(await bill(running, older)).toEqual([1_028, 0, 0, 0]);
  });

  test('a mark that is too early does not count, a later one does', async () => {
    await using running = await start();
    const body = { system: [text(100, '1h'), text(500, '5m')] };
    expect(await bill(running, body)).toEqual([5, 0, 600, 0]);
  });

  test('without marks nothing is cached', async () => {
    await using running = await start();
    const body = { system: [text(900)] };
    expect(await bill(running, body)).toEqual([905, 0, 0, 0]);
    expect(await bill(running, body)).toEqual([905, 0, 0, 0]);
  });

  test('the automatic mark stands on the last block', async () => {
    await using running = await start();
    const body = { cache_control: { type: 'ephemeral' }, system: [text(600)] };
    expect(await bill(running, body)).toEqual([0, 0, 605, 0]);
    const longer = { ...body, messages: [user('hello'), assistant('ok'), user('more')] };
    expect(await bill(running, longer)).toEqual([0, 605, 6, 0]);
  });

  test('a mark inside a tool result counts at the end of the result', async () => {
    await using running = await start();
    const call = { type: 'tool_use', id: 'toolu_1', name: 'a', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [text(600, '5m')] };
    const body = { tools: [tool('a')], messages: [user('x'), assistant([call]), user([result, text(9)])] };
    const [plain, read, written] = await bill(running, body);
    expect([plain, read]).toEqual([9, 0]);
    expect(await bill(running, body)).toEqual([9, written, 0, 0]);
  });

  test('count_tokens counts the same and writes nothing', async () => {
    await using running = await start();
    const { max_tokens: _, ...body } = requestOf({ system: [text(600, '5m')] });
    const reply = await running.send(body, {}, '/v1/messages/count_tokens');
    expect(reply.json).toEqual({ input_tokens: 605 });
    expect(await bill(running, { system: [text(600, '5m')] })).toEqual([5, 0, 600, 0]);
    expect(running.simulator.bill().requests).toBe(1);
  });
});

describe('the life of an entry', () => {
  const body = { system: [text(600, '5m')] };

  test('5 minutes, and not a moment longer', async () => {
    await using running = await start();
    await bill(running, body);
    running.wait(5 * minuteMs);
    expect(await bill(running, body)).toEqual([5, 0, 600, 0]);
  });

  test('reading renews it', async () => {
    await using running = await start();
    await bill(running, body);
    for (let round = 0; round < 3; round += 1) {
      running.wait(5 * minuteMs - 1);
      expect(await bill(running, body)).toEqual([5, 600, 0, 0]);
    }
  });

  test('1 hour where the mark asks for it, each entry by its own', async () => {
    await using running = await start();
    const both = { system: [text(600, '1h'), text(100, '5m')] };
    await bill(running, both);
    running.wait(59 * minuteMs);
    expect(await bill(running, both)).toEqual([5, 600, 100, 0]);
    running.wait(60 * minuteMs);
    expect(await bill(running, both)).toEqual([5, 0, 100, 600]);
  });

  test('it belongs to its workspace and model', async () => {
    await using running = await start();
    await bill(running, body);
    expect(await bill(running, body, { 'x-api-key': 'another' })).toEqual([5, 0, 600, 0]);
    expect(await bill(running, { ...body, model: 'claude-opus-5' })).toEqual([5, 0, 600, 0]);
    expect(await bill(running, { ...body, model: 'claude-opus-5-5-20261020' })).toEqual([5, 600, 0, 0]);
  });

  test('a reset forgets it, with the bill', async () => {
    await using running = await start();
    await bill(running, body);
    running.simulator.reset();
    expect(running.simulator.bill()).toMatchObject({ totalUsd: 0, requests: 0 });
    expect(await bill(running, body)).toEqual([5, 0, 600, 0]);
    expect(running.last().index).toBe(0);
  });
});

describe('the look-back (rule 9)', () => {
  /** A prompt of 600 characters, marked, and `count` short blocks after it, the last one marked. */
  function after(count: number): Loose {
    const blocks = Array.from({ length: count }, (_, index) =>
      text(10, index === count - 1 ? '5m' : undefined, 'y'),
    );
    return { messages: [user([text(600, undefined), ...blocks])] };
  }
  const written = { messages: [user([text(600, '5m')])] };

  test('an entry 19 positions before the mark is found', async () => {
    await using running = await start();
    await bill(running, written);
    expect(await bill(running, after(19))).toEqual([0, 600, 190, 0]);
  });

  test('an entry 20 positions before the mark is not', async () => {
    await using running = await start();
    await bill(running, written);
    expect(await bill(running, after(20))).toEqual([0, 0, 800, 0]);
  });

  test('a second mark in between finds it', async () => {
    await using running = await start();
    await bill(running, written);
    const body = after(30);
    body.messages[0].content[15].cache_control = { type: 'ephemeral' };
    expect(await bill(running, body)).toEqual([0, 600, 300, 0]);
  });

  test('a run of calls is one position, and a run of results', async () => {
    await using running = await start();
    const ids = Array.from({ length: 30 }, (_, index) => `toolu_${index}`);
    const calls = ids.map((id) => ({ type: 'tool_use', id, name: 'a', input: {} }));
    const results: Loose[] = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'r' }));
    results.at(-1).cache_control = { type: 'ephemeral' };
    await bill(running, { tools: [tool('a')], messages: [user([text(600, '5m')])] });
    const [, read] = await bill(running, {
      tools: [tool('a')],
      messages: [user([text(600)]), assistant(calls), user(results)],
    });
    expect(read).toBeGreaterThanOrEqual(600);
  });
});

describe('what a change loses (§1.13.3, rules 7 and 8)', () => {
  const marked = (name: string): Loose =>
    tool(name, { description: 'd'.repeat(600), cache_control: { type: 'ephemeral' } });
  const late = tool('late', { defer_loading: true, description: 'l'.repeat(600) });
  const other = tool('other', { defer_loading: true });
  const base = {
    model: 'claude-opus-5',
    tools: [marked('a'), late],
    system: [text(600, '5m')],
    messages: [user([text(600, '5m')])],
  };
  const toolTokens = JSON.stringify({
    name: 'a',
    description: 'd'.repeat(600),
    input_schema: { type: 'object', properties: {} },
  }).length;

  test.each<readonly [string, Loose, number]>([
    ['nothing', {}, toolTokens + 1_200],
    [
      'a deferred tool that nothing refers to',
      { tools: [marked('a'), { ...late, description: 'other' }] },
      toolTokens + 1_200,
    ],
    ['one more deferred tool, in front', { tools: [other, marked('a'), late] }, toolTokens + 1_200],
    ['where a deferred tool stands', { tools: [late, marked('a')] }, toolTokens + 1_200],
    ['the last deferred tool goes', { tools: [marked('a')] }, 0],
    ['a loaded tool', { tools: [marked('b'), late] }, 0],
    ['one more loaded tool at the end', { tools: [marked('a'), late, tool('c')] }, toolTokens],
    [
      'the order of keys in a schema',
      { tools: [{ ...marked('a'), input_schema: { properties: {}, type: 'object' } }, late] },
      0,
    ],
    [
      'the order of keys of a tool',
      { tools: [Object.fromEntries(Object.entries(marked('a')).toReversed()), late] },
      toolTokens + 1_200,
    ],
    ['the system text', { system: [text(600, '5m', 's')] }, toolTokens],
    [
      'web search on',
      { tools: [marked('a'), late, { type: 'web_search_20260318', name: 'web_search' }] },
      toolTokens,
    ],
    ['speed', { speed: 'fast' }, toolTokens],
    ['tool_choice', { tool_choice: { type: 'any' } }, toolTokens + 600],
    ['tool_choice spelled out as auto', { tool_choice: { type: 'auto' } }, toolTokens + 1_200],
    [
      'parallel calls off',
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      toolTokens + 600,
    ],
    ['thinking', { thinking: { type: 'adaptive' } }, toolTokens + 600],
    ['effort', { output_config: { effort: 'low' } }, toolTokens + 600],
    ['the default effort spelled out', { output_config: { effort: 'high' } }, toolTokens + 1_200],
    [
      'an image at the end',
      {
        messages: [
          user([
            text(600, '5m'),
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ]),
        ],
      },
      toolTokens + 600,
    ],
    [
      'a string where one block stood',
      { messages: [user('x'.repeat(600)), assistant('ok'), user([text(5, '5m')])] },
      toolTokens + 1_200,
    ],
    [
      'two messages where one stood',
      { messages: [user([text(600)]), user([text(5, '5m')])] },
      toolTokens + 1_200,
    ],
    [
      'no marks but the last',
      { tools: [tool('a', { description: 'd'.repeat(600) }), late], system: [text(600)] },
      toolTokens + 1_200,
    ],
  ])('%s', async (_, changes, read) => {
    await using running = await start();
    await bill(running, base);
    expect((await bill(running, { ...base, ...changes }))[1]).toBe(read);
  });
});

describe('references (rules 7 and 12)', () => {
  const late = tool('late', { defer_loading: true, description: 'l'.repeat(600) });
  const definition = JSON.stringify({
    name: 'late',
    description: 'l'.repeat(600),
    input_schema: { type: 'object', properties: {} },
  });
  const call = { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} };
  const result = {
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: [{ type: 'tool_reference', tool_name: 'late' }],
  };
  const before = { tools: [tool('find'), late], messages: [user([text(600, '5m')])] };
  const loading = {
    ...before,
    messages: [
      user([text(600)]),
      assistant([call]),
      user([{ ...result, cache_control: { type: 'ephemeral' } }]),
    ],
  };

  test('a deferred tool costs nothing until a reference expands it', async () => {
    await using running = await start();
    const [, , without] = await bill(running, {
      ...before,
      tools: [tool('find'), tool('z', { defer_loading: true })],
    });
    expect(await bill(running, before)).toEqual([0, without, 0, 0]);
  });

  test('the definition is written where the reference stands, after the old prefix', async () => {
    await using running = await start();
    const [, , prefix = 0] = await bill(running, before);
    const written = 'find {}'.length + `late ${definition}`.length;
    expect(await bill(running, loading)).toEqual([0, prefix, written, 0]);
  });

  test('editing an expanded definition loses everything from there on', async () => {
    await using running = await start();
    const [, , prefix] = await bill(running, before);
    await bill(running, loading);
    const edited = { ...loading, tools: [tool('find'), { ...late, description: 'm'.repeat(600) }] };
    expect((await bill(running, edited))[1]).toBe(prefix);
  });

  test('a tool_addition shows the definition of its tool', async () => {
    await using running = await start();
    const change = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'late' } };
    const [plain] = await bill(
      running,
      { ...before, messages: [user('x'), system([change])] },
      { 'anthropic-beta': 'mid-conversation-tool-changes-2026-07-01' },
    );
    const find = JSON.stringify({
      name: 'find',
      description: 'The tool find.',
      input_schema: { type: 'object', properties: {} },
    });
    expect(plain).toBe(find.length + 1 + definition.length);
  });

  test('§1.10.4: an effort within the messages counts where it stands, the default one nowhere', async () => {
    await using running = await start();
    const betas = { 'anthropic-beta': 'per-turn-control-2026-07-01' };
    const body = (effort?: string): Loose => ({
      messages: [
        user([text(600)]),
        system('s', effort === undefined ? {} : { output_config: { effort } }),
        assistant('y'),
        user([text(5, '5m')]),
      ],
    });
    await bill(running, body(), betas);
    expect(await bill(running, body('medium'), betas)).toEqual([0, 607, 0, 0]);
    expect(await bill(running, body('low'), betas)).toEqual([0, 0, 607, 0]);
  });

  test('§1.10.3: turn-scoped text is shown in its own turn only', async () => {
    await using running = await start();
    const scoped = system('secret', { clear_at: 'next_user_message' });
    const betas = { 'anthropic-beta': 'mid-conversation-system-clear-at-2026-08-21' };
    expect((await bill(running, { messages: [user('x'), scoped] }, betas))[0]).toBe(7);
    expect(
      (await bill(running, { messages: [user('x'), scoped, assistant('y'), user('z')] }, betas))[0],
    ).toBe(3);
  });
});
