import type { AgentConfig } from '@quartermaster/agent';
import type { ToolReference } from '@quartermaster/agent/engine';
import { createSecret } from '@quartermaster/agent/settings';
import { catalog } from '@quartermaster/catalog';
import { createLanguageModel } from '@quartermaster/providers';
import type { SessionStore, Store } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import { agentOf, createStage, eventsOf, keyOf, modelId, script, toolOf } from './harness.ts';
import type { Loose, Stage, Started, StartOptions } from './harness.ts';

const responsesId = 'gpt-5.6-sol';
const chatId = 'gpt-5.2';

/** A stage whose models may be of either vendor, and whose tools come by name. */
function startWith(
  stage: Stage,
  late: string[],
  {
    model = modelId,
    appearing,
    ...changes
  }: StartOptions & { readonly model?: string; readonly appearing?: string } = {},
): Promise<Started> {
  const lateTools = (): readonly ToolReference[] => late;
  return stage.start({
    tools: ['read', 'fail', 'found', 'other'].map((name) =>
      toolOf(name, () => {
        if (name === 'fail') throw new Error('it failed');
        if (name === 'read' && appearing !== undefined) late.push(appearing);
        return `${name} ran`;
      }),
    ),
    agents: [agentOf('main', [], { tools: ['read', 'fail'], model })],
    models: (id) => modelAt(stage.url, id),
    lateTools,
    ...changes,
  });
}

function modelAt(url: string, id: string) {
  const isClaude = id.startsWith('claude');
  return createLanguageModel({
    provider: isClaude ? 'anthropic' : 'openai',
    id,
    ...(!isClaude && { api: id === chatId ? ('openai-chat' as const) : ('openai-responses' as const) }),
    apiKey: createSecret('test-key'),
    baseUrl: new URL(isClaude ? url : `${url}/v1`),
    catalog,
    terms: { maxRetries: 0 },
  });
}

/** A body as sent, without the key that names its session. */
function sent({ prompt_cache_key: _, ...body }: Loose): string {
  return JSON.stringify(body);
}

function expectNoneRefused({ simulator }: Stage): void {
  expect(simulator.requests().map(({ status, error }) => error ?? status)).toEqual(
    simulator.requests().map(() => 200),
  );
  expect(simulator.requests().some(({ brokenBinding }) => brokenBinding)).toBe(false);
}

/** Cache marks move, and change nothing of the prompt. */
function messagesOf({ messages }: Loose): readonly unknown[] {
  return JSON.parse(JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
}

function namesOf({ tools = [], messages = [], input = [] }: Loose): Loose {
  return {
    tools: tools.map((tool: Loose) => tool.name ?? tool.function?.name),
    said: JSON.stringify(messages) + JSON.stringify(input),
  };
}

function thoughtsOf({ messages }: Loose): readonly string[] {
  return messages.flatMap(({ content }: Loose) =>
    content.flatMap(({ thinking }: Loose) => (thinking === undefined ? [] : [thinking])),
  );
}

describe.each([modelId, responsesId])('%s', (model) => {
  test('after a restart another runtime sends, byte for byte, what the first one would have sent', async () => {
    await using stage = await createStage();
    const late: string[] = [];
    const first = await startWith(stage, late, { model, appearing: 'found' });
    const steps = script({ thinking: 'a', tool: 'read', input: {} }, { thinking: 'b', text: 'read it' });
    await first.play(steps);
    expect(sent(stage.bodies.at(-1))).toMatch(/tool_reference|tool_search_output/);
    late.push('other');
    await first.play(
      script(
        {
          thinking: 'c',
          tools: [
            { tool: 'found', input: {} },
            { tool: 'other', input: {} },
          ],
        },
        { text: 'both ran' },
      ),
    );
    const { session } = await stage.sessions.clone(keyOf());
    await first.play('and now?');
    const expected = sent(stage.bodies.at(-1));
    expect(expected).toMatch(/tool_reference|tool_search_output/);
    expect(expected).toMatch(/tool_addition|additional_tools/);
    await stage.reopen();
    const second = await startWith(stage, late, { model });
    await second.play('and now?', { session });
    expect(sent(stage.bodies.at(-1))).toBe(expected);
    expectNoneRefused(stage);
  });

  test('D10, D12: the same after a restart at which the late tools are not there yet', async () => {
    await using stage = await createStage();
    const late = ['found'];
    const first = await startWith(stage, late, { model });
    await first.play(script({ tool: 'read', input: {} }, { tool: 'found', input: {} }, { text: 'done' }));
    const { session } = await stage.sessions.clone(keyOf());
    await first.play('and now?');
    const expected = sent(stage.bodies.at(-1));
    await stage.reopen();
    const second = await startWith(stage, [], { model });
    await second.play('and now?', { session });
    expect(sent(stage.bodies.at(-1))).toBe(expected);
    const { events } = await second.play(script({ tool: 'found', input: {} }, { text: 'gone' }), { session });
    expect(eventsOf(events, 'tool-result')[0]?.result).toMatchObject({
      outcome: 'unknown-tool',
      text: expect.stringContaining('not available now'),
    });
    expectNoneRefused(stage);
  });

  test('D9: what enters after a failed call enters at the tail, not at the failure', async () => {
    await using stage = await createStage();
    const late: string[] = [];
    const runtime = await startWith(stage, late, { model });
    late.push('found');
    await runtime.play(script({ tool: 'fail', input: {} }, { tool: 'found', input: {} }, { text: 'ok' }));
    expect(JSON.stringify(stage.bodies[0])).toMatch(/tool_addition|additional_tools|"found"/);
    expectNoneRefused(stage);
  });
});

test.each([chatId, 'claude-sonnet-5'])(
  'D10: a tool that came while %s was asked leaves what another model was sent as it was',
  async (other) => {
    await using stage = await createStage();
    const late: string[] = [];
    const first = await startWith(stage, late);
    await first.play(script({ thinking: 'a', tool: 'read', input: {} }, { thinking: 'b', text: 'read it' }));
    const before = stage.bodies.at(-1);
    late.push('found');
    const between = await startWith(stage, late, { model: other });
    await between.play(script({ tool: 'found', input: {} }, { text: 'found it' }));
    const back = await startWith(stage, late);
    const { result } = await back.play(script({ tool: 'found', input: {} }, { text: 'and again' }));
    expect(result).toMatchObject({ status: 'completed' });
    expectNoneRefused(stage);
    expect(messagesOf(stage.bodies.at(-1)).slice(0, before.messages.length)).toEqual(messagesOf(before));
  },
);

describe('the state', () => {
  test('DP2: it is written exactly when it changes, and not with every call', async () => {
    await using stage = await createStage();
    let writes = 0;
    const counting = (store: Store): Store => ({
      ...store,
      sessions: {
        ...store.sessions,
        saveToolDeferrals: async (...args: Parameters<SessionStore['saveToolDeferrals']>) => {
          writes += 1;
          await store.sessions.saveToolDeferrals(...args);
        },
      },
    });
    const late: string[] = [];
    const runtime = await startWith(stage, late, { store: counting(stage.store) });
    await runtime.play(script({ tool: 'read', input: {} }, { tool: 'read', input: { n: 1 } }, { text: 'a' }));
    expect(writes).toBe(1);
    late.push('found');
    await runtime.play(script({ tool: 'read', input: {} }, { text: 'b' }));
    expect(writes).toBe(2);
    await runtime.play('c');
    expect(writes).toBe(2);
  });

  test('DP3: a compaction begins anew, with the tools of its time as the baseline', async () => {
    await using stage = await createStage();
    const late: string[] = [];
    const runtime = await startWith(stage, late);
    await runtime.play(script({ tool: 'read', input: {} }, { text: 'a' }));
    late.push('found');
    await runtime.play('b');
    expect(namesOf(stage.bodies.at(-1)).tools).toContain('found');
    expect(await runtime.backend.compact(keyOf(), { signal: new AbortController().signal })).toBe(true);
    expect(await stage.store.sessions.readToolDeferrals(keyOf())).toBeUndefined();
    await runtime.play('c');
    const { tools } = stage.bodies.at(-1);
    expect(tools.find(({ name }: Loose) => name === 'found')).not.toHaveProperty('defer_loading');
    expectNoneRefused(stage);
  });

  test('DP4: one that can not be read is told of and set aside, and the session goes on', async () => {
    await using stage = await createStage();
    const runtime = await startWith(stage, []);
    await runtime.play('a');
    await stage.store.sessions.beginTurn(keyOf(), { turn: 'hand', owner: 'hand', leaseMs: 60_000 });
    await stage.store.sessions.saveToolDeferrals(keyOf(), 'hand', {
      state: '{"version":9}',
      declarations: [],
    });
    await stage.store.sessions.endTurn(keyOf(), 'hand');
    const { events, result } = await runtime.play('b');
    expect(eventsOf(events, 'error')[0]).toMatchObject({
      recoverable: true,
      message: expect.stringContaining('set aside'),
    });
    expect(result.status).toBe('completed');
  });

  test('D7: no event, transcript or export has it', async () => {
    await using stage = await createStage();
    const late: string[] = [];
    const runtime = await startWith(stage, late);
    const { events } = await runtime.play(script({ tool: 'read', input: {} }, { text: 'a' }));
    late.push('found');
    await runtime.play('b');
    const shown = [
      JSON.stringify(events),
      await stage.sessions.export(keyOf(), 'json'),
      JSON.stringify(await stage.sessions.list(keyOf(), { limit: 9 })),
    ].join('');
    expect(shown).not.toMatch(/baseline|deferral|found/i);
  });

  test('a sub-session begins with none of it', async () => {
    await using stage = await createStage();
    const runtime = await startWith(stage, [], {
      agents: [
        agentOf('main', [], { tools: ['read'], subAgents: ['child'] }),
        agentOf('child', [], { tools: ['fail'] }),
      ],
      lateTools: (agent) => (agent === 'child' ? ['found'] : []),
    });
    await runtime.play(
      script(
        { tool: 'read', input: {} },
        { tool: 'hand_off_to_child', input: { task: 'say hello' } },
        { text: 'done' },
      ),
    );
    const ofChild = stage.bodies.find(({ system }) => JSON.stringify(system).includes('You are child'));
    expect(ofChild.tools.map(({ name }: Loose) => name)).toEqual([
      'fail',
      'found',
      'quartermaster_later_tools',
    ]);
    expectNoneRefused(stage);
  });
});

describe('copies', () => {
  async function playTwoTurns(stage: Stage) {
    const late: string[] = [];
    const runtime = await startWith(stage, late);
    await runtime.play(script({ tool: 'read', input: {} }, { text: 'a' }));
    late.push('found');
    await runtime.play('b');
    await runtime.play('c');
    const messages = await stage.sessions.messages(keyOf());
    const users = messages.filter(({ role }) => role === 'user').map(({ id }) => id);
    return { runtime, users };
  }

  test('a fork behind every place of a tool declares it where it was', async () => {
    await using stage = await createStage();
    const { runtime, users } = await playTwoTurns(stage);
    const before = namesOf(stage.bodies.at(-1)).tools;
    const { session } = await stage.sessions.branch(keyOf(), { beforeMessage: String(users[2]) });
    await runtime.play('c', { session });
    expect(namesOf(stage.bodies.at(-1)).tools).toEqual(before);
    expect(sent(stage.bodies.at(-1))).toContain('tool_addition');
    expectNoneRefused(stage);
  });

  test('one before a place begins anew, and so does one of nothing', async () => {
    await using stage = await createStage();
    const { runtime, users } = await playTwoTurns(stage);
    for (const beforeMessage of [String(users[1]), String(users[0])]) {
      const { session } = await stage.sessions.branch(keyOf(), { beforeMessage });
      expect(await stage.store.sessions.readToolDeferrals(keyOf(session))).toBeUndefined();
      await runtime.play('c', { session });
      expect(sent(stage.bodies.at(-1))).not.toContain('tool_addition');
      expect(namesOf(stage.bodies.at(-1)).tools).toContain('found');
    }
    expectNoneRefused(stage);
  });
});

describe('an agent that is changed in the middle of a session', () => {
  const thinking = (word: string) => script({ thinking: word, tool: 'read', input: {} }, { text: 'ok' });
  const start = async (stage: Stage, changes: Partial<AgentConfig>, more: StartOptions = {}) =>
    await stage.start({
      tools: [toolOf('read'), toolOf('write')],
      agents: [agentOf('main', [], { tools: ['read'], ...changes })],
      ...more,
    });

  test('thoughts of another instruction are not sent, and are again under their own; the report says why', async () => {
    await using stage = await createStage();
    const [one, two] = [await start(stage, {}), await start(stage, { prompt: 'Be brief.' })];
    await one.play(thinking('first'));
    await two.play(thinking('second'));
    expect(thoughtsOf(stage.bodies.at(-1))).toEqual(['second']);
    await one.play(thinking('third'));
    expect(thoughtsOf(stage.bodies.at(-1))).toEqual(['first', 'third']);
    expectNoneRefused(stage);
    const { answers } = await stage.sessions.cacheReport(keyOf());
    const moved = [{ cause: 'agent' }];
    expect(answers.map(({ breaks }) => breaks)).toEqual([[], [], moved, [], moved, []]);
  });

  test('so it is where its first late tool, or its first catalogue, moves the beginning', async () => {
    await using stage = await createStage();
    await (await start(stage, {})).play(thinking('first'));
    await (await start(stage, { tools: ['read', 'write'] })).play(thinking('second'));
    await (await start(stage, {}, { catalogue: () => ['write'] })).play(thinking('third'));
    await (await start(stage, {})).play(thinking('fourth'));
    expectNoneRefused(stage);
  });
});

describe('the cache report', () => {
  test('tells each prompt’s tokens, and a break with its tool and its cause', async () => {
    await using stage = await createStage();
    const late: string[] = [];
    const runtime = await startWith(stage, late, { model: chatId });
    await runtime.play(script({ tool: 'read', input: {} }, { text: 'a' }));
    late.push('found');
    await runtime.play('b');
    const { answers } = await stage.sessions.cacheReport(keyOf());
    expect(answers.map(({ breaks }) => breaks)).toEqual([[], [], [{ cause: 'list', tool: 'found' }]]);
    expect(answers.every(({ tokens }) => tokens.inputTokens !== undefined)).toBe(true);
  });

  test('D5: tells a tool whose text is another by now, once a turn, and the session keeps what it sent', async () => {
    await using stage = await createStage();
    const first = await startWith(stage, []);
    await first.play('a');
    await stage.reopen();
    const changed = toolOf('read', undefined, { description: 'Another text.' });
    const second = await stage.start({ tools: [changed, toolOf('fail')], lateTools: () => [] });
    const { events } = await second.play(script({ tool: 'read', input: {} }, { text: 'b' }));
    expect(JSON.stringify(stage.bodies.at(-1).tools)).not.toContain('Another text');
    expect(eventsOf(events, 'error').map(({ code }) => code)).toEqual(['RUNTIME_TOOL_OUTDATED']);
    const { answers } = await stage.sessions.cacheReport(keyOf());
    expect(answers.at(-1)?.outdated).toEqual(['read']);
    expectNoneRefused(stage);
  });

  test('names a summary and another model as what began anew', async () => {
    await using stage = await createStage();
    const runtime = await startWith(stage, []);
    await runtime.play('a');
    await runtime.backend.compact(keyOf(), { signal: new AbortController().signal });
    await runtime.play('b');
    const other = await startWith(stage, [], { model: responsesId });
    await other.play('c');
    const { answers } = await stage.sessions.cacheReport(keyOf());
    expect(answers.map(({ breaks }) => breaks)).toEqual([
      [],
      [{ cause: 'compaction' }],
      [{ cause: 'model' }],
    ]);
  });
});

describe('a catalogue', () => {
  const names = ['send_invoice', 'cancel_order'];

  function startWithCatalogue(stage: Stage, model: string): Promise<Started> {
    return startWith(stage, [], {
      model,
      tools: ['read', 'fail', ...names].map((name) => toolOf(name, () => `${name} ran`)),
      catalogue: () => names,
    });
  }

  test('RT1: where the model has no search of its own it searches, adds and calls, and it lasts over a restart', async () => {
    await using stage = await createStage();
    const first = await startWithCatalogue(stage, chatId);
    const { events } = await first.play(
      script(
        { tool: 'search_tools', input: { words: 'invoice' } },
        { tool: 'add_tool', input: { name: 'send_invoice' } },
        { tool: 'send_invoice', input: {} },
        { text: 'sent' },
      ),
    );
    const results = eventsOf(events, 'tool-result').map(({ result }) => [result.name, result.outcome]);
    expect(results).toEqual([
      ['search_tools', 'completed'],
      ['add_tool', 'completed'],
      ['send_invoice', 'completed'],
    ]);
    expect(namesOf(stage.bodies[0]).tools).toEqual(['read', 'fail', 'search_tools', 'add_tool']);
    expect(namesOf(stage.bodies.at(-1)).tools).toEqual([
      'read',
      'fail',
      'search_tools',
      'add_tool',
      'send_invoice',
    ]);
    const before = JSON.stringify(stage.bodies.at(-1).tools);
    await stage.reopen();
    const second = await startWithCatalogue(stage, chatId);
    await second.play(script({ tool: 'send_invoice', input: {} }, { text: 'again' }));
    expect(JSON.stringify(stage.bodies.at(-1).tools)).toBe(before);
    expectNoneRefused(stage);
  });

  test('case 17: what was found stays declared as it was, when it has another text, is gone, and is back', async () => {
    await using stage = await createStage();
    const catalogue = [...names];
    const start = (description: string) =>
      startWith(stage, [], {
        tools: ['read', 'fail', ...names].map((name) => toolOf(name, () => `${name} ran`, { description })),
        catalogue: () => catalogue,
      });
    const found = ({ tools }: Loose) => tools.find(({ name }: Loose) => name === 'send_invoice');
    const first = await start('One text.');
    const search = { thinking: 'where is it', search: 'invoice', tool: 'send_invoice', input: {} };
    await first.play(script(search, { thinking: 'it is done', text: 'sent' }));
    const declared = found(stage.bodies.at(-1));
    const second = await start('Another text.');
    const { events } = await second.play('and now?');
    expect(eventsOf(events, 'error').map(({ message }) => message)).toContainEqual(
      expect.stringContaining('The tool send_invoice is described otherwise'),
    );
    expect(found(stage.bodies.at(-1))).toEqual(declared);
    for (const left of [['cancel_order'], []]) {
      catalogue.splice(0, Infinity, ...left);
      await second.play('and now?');
      expect(found(stage.bodies.at(-1))).toEqual(declared);
    }
    const calling = script({ tool: 'send_invoice', input: {} }, { text: 'it is gone' });
    expect(eventsOf((await second.play(calling)).events, 'tool-result')[0]?.result).toMatchObject({
      outcome: 'unknown-tool',
      text: expect.stringContaining('is not available now'),
    });
    catalogue.push(...names);
    expect((await second.play(calling)).events.map(({ type }) => type)).toContain('tool-result');
    expect(thoughtsOf(stage.bodies.at(-1))).toContain('it is done');
    expectNoneRefused(stage);
  });

  test.each([modelId, responsesId])(
    'D4: %s searches it by itself, and its bytes never change',
    async (model) => {
      await using stage = await createStage();
      const runtime = await startWithCatalogue(stage, model);
      const { events } = await runtime.play(
        script({ search: 'invoice', tool: 'send_invoice', input: {} }, { text: 'sent' }),
      );
      await runtime.play('and now?');
      expect(eventsOf(events, 'tool-result')[0]?.result).toMatchObject({ outcome: 'completed' });
      const lists = stage.bodies.map((body) =>
        JSON.stringify(body.tools).replaceAll(/,"cache_control":\{[^}]*\}/g, ''),
      );
      expect(new Set(lists).size).toBe(1);
      expect(namesOf(stage.bodies[0]).tools).not.toContain('search_tools');
      expectNoneRefused(stage);
    },
  );

  test('case 39: tools that alone are too much are told of by their toolset, and no summary is tried', async () => {
    await using stage = await createStage({ contextTokens: 4_000 });
    const runtime = await stage.start({
      tools: [toolOf('huge', undefined, { description: 'word '.repeat(4_000) })],
      toolsetOf: () => 'the big server',
    });
    const { result } = await runtime.play('hello');
    expect(result.error).toMatchObject({
      code: 'RUNTIME_TOOLS_TOO_LARGE',
      message: expect.stringContaining('the big server'),
    });
    expect(stage.bodies).toHaveLength(1);
  });
});
