import { describe, expect, test } from 'vitest';
import { fromJsonSchema } from '@quartermaster/agent/engine';
import type { ToolContext } from '@quartermaster/agent';
import { agentOf, createStage, eventsOf, keyOf, outline, script, toolOf, typesOf } from './harness.ts';
import type { Loose } from './harness.ts';

describe('the loop', () => {
  test('RL1: a turn shows what happens, in order, and ends with its result', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read', () => 'a text')] });
    const { events, result } = await runtime.play(
      script(
        { thinking: 'hm', text: 'I look.', tool: 'read', input: { path: 'a' } },
        { text: 'It says a text.' },
      ),
    );
    expect(typesOf(events)).toEqual([
      'turn-start',
      'reasoning-delta',
      'text-delta',
      'usage',
      'tool-call',
      'tool-result',
      'text-delta',
      'usage',
      'turn-end',
    ]);
    expect(
      events.every(
        ({ session, agent, turn }) => session.session === 'ses' && agent === 'main' && turn !== '',
      ),
    ).toBe(true);
    expect(result).toMatchObject({ status: 'completed', text: 'It says a text.' });
    expect(eventsOf(events, 'tool-result')[0]?.result).toMatchObject({
      outcome: 'completed',
      text: 'a text',
    });
    expect(outline(await stage.sessions.messages(keyOf()))).toEqual([
      'user "@@"',
      expect.stringMatching(/^assistant .*read/),
      expect.stringMatching(/^tool .*:completed$/),
      'assistant "It says a text."',
    ]);
  });

  test('RL1: usage is told for each answer, and its sum is what the provider billed', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read')] });
    const { events, result } = await runtime.play(script({ tool: 'read' }, { text: 'done' }));
    expect(eventsOf(events, 'usage')).toHaveLength(2);
    const billed = stage.simulator.bill().totalUsd;
    expect(result.usage.costUsd).toBeCloseTo(billed, 12);
    expect((await stage.sessions.find(keyOf()))?.totals.costUsd).toBeCloseTo(billed, 12);
  });

  test('R1: the input is stored before the first event', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    const events = runtime.events('hello')[Symbol.asyncIterator]();
    const first = await events.next();
    const [message] = await stage.sessions.messages(keyOf());
    expect(first.value).toMatchObject({ type: 'turn-start', messageId: message?.id });
    expect(message).toMatchObject({ role: 'user', content: [{ text: 'hello' }] });
    while ((await events.next()).done !== true);
  });

  test('RL2: calls of one answer start together, and their results stand in the order of the calls', async () => {
    await using stage = await createStage();
    const second = Promise.withResolvers<void>();
    const runtime = await stage.start({
      tools: [
        toolOf('slow', () => second.promise.then(() => 'slow')),
        toolOf('quick', () => {
          second.resolve();
          return 'quick';
        }),
      ],
    });
    const { events } = await runtime.play(
      script({ tools: [{ tool: 'slow' }, { tool: 'quick' }] }, { text: 'done' }),
    );
    expect(eventsOf(events, 'tool-result').map(({ result }) => result.text)).toEqual(['slow', 'quick']);
    const results = stage.bodies[1].messages.at(-1).content;
    expect(results.map((block: { content: unknown }) => block.content)).toEqual([
      [{ type: 'text', text: 'slow' }],
      [expect.objectContaining({ text: 'quick' })],
    ]);
  });

  test('RL4: the fifth identical call is answered with a warning, and the one after it fails the turn', async () => {
    await using stage = await createStage();
    let runs = 0;
    const runtime = await stage.start({ tools: [toolOf('read', () => (runs += 1))] });
    const call = { tool: 'read', input: { path: 'a' } };
    const { events, result } = await runtime.play(script(...Array.from({ length: 9 }, () => call)));
    expect(runs).toBe(4);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'RUNTIME_LOOP' } });
    expect(eventsOf(events, 'tool-result').map((event) => event.result.outcome)).toEqual([
      ...Array.from({ length: 4 }, () => 'completed'),
      'failed',
    ]);
    expect(eventsOf(events, 'tool-result').at(-1)?.result.text).toContain('was not run');
    const { result: next } = await runtime.play(script({ text: 'another way' }));
    expect(next.status).toBe('completed');
  });

  test('RL4: another call in between, or a tool that polls, is no loop', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({
      tools: [toolOf('read'), toolOf('poll', () => 'not yet', { isPolling: true })],
    });
    const steps = Array.from({ length: 8 }, (_, index) => ({
      tool: 'read',
      input: { path: index === 3 ? 'b' : 'a' },
    }));
    const polls = Array.from({ length: 8 }, () => ({ tool: 'poll' }));
    const broken = await runtime.play(script(...steps.slice(0, 7), { text: 'done' }));
    expect(broken.result.status).toBe('completed');
    const polled = await runtime.play(script(...polls, { text: 'done' }), { session: 'other' });
    expect(polled.result.status).toBe('completed');
  });

  test('RL4: a model that repeats itself within one answer is told first', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read')] });
    const tools = Array.from({ length: 7 }, () => ({ tool: 'read', input: {} }));
    const { events, result } = await runtime.play(script({ tools }, { text: 'I see.' }));
    expect(result.status).toBe('completed');
    expect(eventsOf(events, 'tool-result').filter((event) => event.result.outcome === 'failed')).toHaveLength(
      3,
    );
  });

  test('a model is asked at most maxIterations times in a turn', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({
      tools: [toolOf('read')],
      agents: [agentOf('main', [], { tools: ['read'], maxIterations: 3 })],
    });
    const steps = Array.from({ length: 5 }, (_, index) => ({ tool: 'read', input: { index } }));
    const { result } = await runtime.play(script(...steps));
    expect(result.error?.code).toBe('RUNTIME_TOO_MANY_ITERATIONS');
    expect(stage.bodies).toHaveLength(3);
  });

  test('RL5: what is said while a turn runs enters it between two answers, and after the last', async () => {
    await using stage = await createStage();
    const waiting: string[] = [];
    const runtime = await stage.start({
      tools: [
        toolOf('read', () => {
          waiting.push('first aside');
          return 'read';
        }),
      ],
    });
    const takeSteering = (): string[] => waiting.splice(0);
    let hasSaid = false;
    const { events, result } = await runtime.play(
      script({ tool: 'read' }, { text: 'so far' }, { text: 'all done' }),
      {
        takeSteering: () => {
          if (stage.bodies.length === 2 && !hasSaid) {
            hasSaid = true;
            return ['second aside'];
          }
          return takeSteering();
        },
      },
    );
    expect(result.text).toBe('all done');
    const messages = await stage.sessions.messages(keyOf());
    expect(outline(messages).map((line) => line.replace(/toolu_\w+/, 'id'))).toEqual([
      'user "@@"',
      'assistant read(id)',
      'tool id:completed',
      'user "first aside"',
      'assistant "so far"',
      'user "second aside"',
      'assistant "all done"',
    ]);
    expect(eventsOf(events, 'steered').map(({ messageId }) => messageId)).toEqual([
      messages[3]?.id,
      messages[5]?.id,
    ]);
  });
});

describe('calls', () => {
  test('RT4: an input is checked before the permission is asked for', async () => {
    await using stage = await createStage();
    const inputSchema = fromJsonSchema({ type: 'object' }, () => {
      throw new TypeError('expected path to be a text');
    });
    const capabilities = [{ capability: 'filesystem.read', target: { argument: 'path' } }] as const;
    const runtime = await stage.start({
      tools: [toolOf('read', undefined, { inputSchema, capabilities })],
      rules: [],
    });
    let asked = 0;
    const ask = async () => ((asked += 1), 'approve' as const);
    const { events } = await runtime.play(script({ tool: 'read', input: { path: 1 } }, { text: 'done' }), {
      ask,
    });
    expect(asked).toBe(0);
    expect(eventsOf(events, 'tool-result')[0]?.result).toMatchObject({ outcome: 'invalid-input' });
    expect(eventsOf(events, 'tool-result')[0]?.result.text).toContain('expected path to be a text');
  });

  test('RT4: a long result is cut with a note of what was left out', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({
      tools: [toolOf('read', () => '🙂'.repeat(100))],
      limits: { maxResultCharacters: 101 },
    });
    const { events } = await runtime.play(script({ tool: 'read' }, { text: 'done' }));
    const text = eventsOf(events, 'tool-result')[0]?.result.text ?? '';
    expect(text.startsWith(`${'🙂'.repeat(50)}\n`)).toBe(true);
    expect(text).toContain('100 of 200 characters were left out');
  });

  test('RT4: a tool gets its call, its session, its signal and the services it asked for, and no credential', async () => {
    await using stage = await createStage();
    let seen: ToolContext | undefined;
    const runtime = await stage.start({ tools: [toolOf('read', (_, context) => void (seen = context))] });
    await runtime.play(script({ tool: 'read' }, { text: 'done' }));
    expect(Object.keys(seen ?? {}).toSorted()).toEqual(['callId', 'service', 'session', 'signal']);
    expect(() => seen?.service('memory')).toThrow('requires');
    expect(JSON.stringify(seen)).not.toContain('test-key');
  });

  test('a call of no tool, a call that fails and one that is not allowed are told to the model', async () => {
    await using stage = await createStage();
    const capabilities = [{ capability: 'shell.run', target: 'none' }] as const;
    const runtime = await stage.start({
      tools: [
        toolOf('broken', () => Promise.reject(new Error('no such file'))),
        toolOf('run', undefined, { capabilities }),
        toolOf('cycle', () => {
          const cycle: Record<string, unknown> = {};
          cycle['self'] = cycle;
          return cycle;
        }),
      ],
      rules: [],
    });
    const tools = [{ tool: 'raed', force: true }, { tool: 'broken' }, { tool: 'run' }, { tool: 'cycle' }];
    const { events, result } = await runtime.play(script({ tools }, { text: 'done' }));
    expect(result.status).toBe('completed');
    expect(eventsOf(events, 'tool-result').map((event) => event.result.outcome)).toEqual([
      'unknown-tool',
      'failed',
      'denied',
      'failed',
    ]);
    expect(eventsOf(events, 'tool-result')[1]?.result.text).toContain('no such file');
  });

  test('T4: what was never registered is declared under its name, and denied when it is called', async () => {
    await using stage = await createStage();
    let ran = false;
    const unbound = (): void => void (ran = true);
    const runtime = await stage.start({ agents: [agentOf('main', [], { tools: [unbound] })] });
    const { events } = await runtime.play(script({ tool: 'unbound' }, { text: 'done' }));
    expect(eventsOf(events, 'tool-result')[0]?.result.outcome).toBe('denied');
    expect(ran).toBe(false);
  });

  test('P7: a tool that comes while a turn runs is there at the next answer, behind the same gate', async () => {
    await using stage = await createStage();
    const late: string[] = [];
    const capabilities = [{ capability: 'shell.run', target: 'none' }] as const;
    const runtime = await stage.start({
      tools: [toolOf('open', () => late.push('run')), toolOf('run', undefined, { capabilities })],
      agents: [agentOf('main', [], { tools: ['open'] })],
      lateTools: () => late,
      rules: [],
    });
    const { events } = await runtime.play(script({ tool: 'open' }, { tool: 'run' }, { text: 'done' }));
    const isDeclared = ({ tools }: Loose): boolean => tools.some(({ name }: Loose) => name === 'run');
    expect(stage.bodies.map(isDeclared)).toEqual([false, true, true]);
    expect(eventsOf(events, 'tool-result').map((event) => event.result.outcome)).toEqual([
      'completed',
      'denied',
    ]);
  });

  test('S2: a tool gets the services that it requires, of its own session', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({
      tools: [
        toolOf('plan', (_, { service }) => service('taskStore').savePlan('first this'), {
          requires: 'taskStore',
        }),
      ],
    });
    await runtime.play(script({ tool: 'plan' }, { text: 'done' }));
    expect(await stage.store.tasks.readPlan(keyOf())).toBe('first this');
    expect(await stage.store.tasks.readPlan(keyOf('other'))).toBeUndefined();
  });

  test('a question to a person is shown, and its answer decides', async () => {
    await using stage = await createStage();
    const capabilities = [{ capability: 'shell.run', target: 'none' }] as const;
    const runtime = await stage.start({ tools: [toolOf('run', undefined, { capabilities })], rules: [] });
    const play = (answer: 'approve' | 'deny') =>
      runtime.play(script({ tool: 'run' }, { text: 'done' }), { session: answer, ask: async () => answer });
    const { events } = await play('approve');
    expect(typesOf(events).filter((type) => /approval|result/.test(type))).toEqual([
      'approval-request',
      'tool-result',
    ]);
    expect(eventsOf(events, 'tool-result')[0]?.result.outcome).toBe('completed');
    expect(eventsOf((await play('deny')).events, 'tool-result')[0]?.result.outcome).toBe('denied');
  });
});
