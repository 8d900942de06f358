import { describe, expect, test } from 'vitest';
import type { AskPerson } from '@quartermaster/agent/permissions';
import { agentOf, collect, createStage, eventsOf, keyOf, script, toolOf } from './harness.ts';
import type { Played, Stage, Started } from './harness.ts';

/** A turn with three calls, cancelled when the first has ended, the second runs and the third waits for a person. */
async function cancelThree(stage: Stage) {
  const cancel = new AbortController();
  const asked = Promise.withResolvers<void>();
  const running = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const runtime = await stage.start({
    tools: [
      toolOf('first', () => {
        ended.resolve();
        return 'first done';
      }),
      toolOf('second', async (_, { signal }) => {
        running.resolve();
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
      toolOf('third', undefined, { capabilities: [{ capability: 'shell.run', target: 'none' }] }),
    ],
    rules: [],
  });
  const ask: AskPerson = async (_, { signal }) => {
    asked.resolve();
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return 'deny';
  };
  const tools = [{ tool: 'first' }, { tool: 'second' }, { tool: 'third' }];
  const playing = runtime.play(script({ tools }, { text: 'done' }), { signal: cancel.signal, ask });
  await Promise.all([ended.promise, running.promise, asked.promise]);
  cancel.abort();
  return { runtime, played: await playing };
}

describe('cancel', () => {
  test('L8, RL6, case 69: each call says whether it ran, was interrupted or never started, and the next turn goes on', async () => {
    await using stage = await createStage();
    const { runtime, played } = await cancelThree(stage);
    expect(played.result.status).toBe('cancelled');
    expect(eventsOf(played.events, 'tool-result').map(({ result }) => result.outcome)).toEqual([
      'completed',
      'interrupted',
      'not-started',
    ]);
    expect(eventsOf(played.events, 'error')).toEqual([]);
    const { result } = await runtime.play('go on');
    expect(result.status).toBe('completed');
    const sent = stage.bodies.at(-1).messages;
    expect(sent[2].content).toMatchObject([
      { type: 'tool_result', content: [{ text: 'first done' }] },
      {
        type: 'tool_result',
        content: [{ text: expect.stringContaining('effects is unknown') }],
        is_error: true,
      },
      { type: 'tool_result', content: [{ text: expect.stringContaining('not started') }], is_error: true },
    ]);
  });

  test('L8, case 69: it reads the same after a restart', async () => {
    await using stage = await createStage();
    await cancelThree(stage);
    const before = JSON.stringify(await stage.sessions.messages(keyOf()));
    await stage.reopen();
    expect(JSON.stringify(await stage.sessions.messages(keyOf()))).toBe(before);
    const runtime = await stage.start();
    expect((await runtime.play('go on')).result.status).toBe('completed');
  });

  test('L8: a tool that does not listen is left behind, and what it gives later changes nothing', async () => {
    await using stage = await createStage();
    const cancel = new AbortController();
    const late = Promise.withResolvers<string>();
    const runtime = await stage.start({
      tools: [
        toolOf('deaf', () => {
          cancel.abort();
          return late.promise;
        }),
      ],
      limits: { cancelGraceMs: 10 },
    });
    const { result } = await runtime.play(script({ tool: 'deaf' }, { text: 'done' }), {
      signal: cancel.signal,
    });
    expect(result.status).toBe('cancelled');
    const before = JSON.stringify(await stage.sessions.messages(keyOf()));
    expect(before).toContain('interrupted');
    late.resolve('too late');
    await runtime.play('go on');
    expect(JSON.stringify(await stage.sessions.messages(keyOf()))).not.toContain('too late');
  });

  test('L8: a call that ends well although it was cancelled has its own result', async () => {
    await using stage = await createStage();
    const cancel = new AbortController();
    const runtime = await stage.start({
      tools: [
        toolOf('write', () => {
          cancel.abort();
          return 'written';
        }),
      ],
    });
    const { events } = await runtime.play(script({ tool: 'write' }), { signal: cancel.signal });
    expect(eventsOf(events, 'tool-result')[0]?.result).toMatchObject({
      outcome: 'completed',
      text: 'written',
    });
  });

  test('RL6: what the model had said before a cancel stays in the history', async () => {
    await using stage = await createStage();
    const cancel = new AbortController();
    const runtime = await stage.start();
    const played = collect(
      (async function* () {
        for await (const event of runtime.events(script({ text: 'one two three four five six' }), {
          signal: cancel.signal,
        })) {
          if (event.type === 'text-delta') cancel.abort();
          yield event;
        }
      })(),
    );
    const { result, events } = await played;
    expect(result.status).toBe('cancelled');
    const said = eventsOf(events, 'text-delta')
      .map(({ text }) => text)
      .join('');
    expect(said).not.toBe('');
    expect(result.text).toBe(said);
    expect((await runtime.play('go on')).result.status).toBe('completed');
    expect(JSON.stringify(stage.bodies.at(-1).messages[1])).toContain(said.trim());
  });

  test('R4: a reader that stops early cancels the turn, and goes on when it has ended', async () => {
    await using stage = await createStage();
    let hasEnded = false;
    const runtime = await stage.start({
      tools: [
        toolOf('quick'),
        toolOf('wait', async (_, { signal }) => {
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          hasEnded = true;
        }),
      ],
    });
    for await (const event of runtime.events(script({ tools: [{ tool: 'quick' }, { tool: 'wait' }] }))) {
      if (event.type === 'tool-result') break;
    }
    expect(hasEnded).toBe(true);
    expect((await runtime.play('go on')).result.status).toBe('completed');
  });

  test('a runtime that is closed ends its turns and begins none', async () => {
    await using stage = await createStage();
    const started = Promise.withResolvers<void>();
    const runtime = await stage.start({
      tools: [
        toolOf('wait', async (_, { signal }) => {
          started.resolve();
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        }),
      ],
    });
    const playing = runtime.play(script({ tool: 'wait' }));
    await started.promise;
    await runtime.close();
    expect((await playing).result.status).toBe('cancelled');
    await expect(runtime.play('hello')).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' });
  });

  test('a runtime closes also when nobody reads on in one of its turns', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    const events = runtime.events(script({ text: 'a few words that nobody reads' }))[Symbol.asyncIterator]();
    await events.next();
    await runtime.close();
    expect((await stage.sessions.messages(keyOf()))[0]).toMatchObject({ role: 'user' });
    await expect(runtime.play('hello')).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' });
  });

  test('L8: wherever a turn is cancelled, its session and that of its sub-agent go on, and no call runs twice', async () => {
    await using stage = await createStage();
    const runs: string[] = [];
    const write = toolOf('write', (_, { callId, session }) => {
      runs.push(`${session.session} ${callId}`);
      return 'written';
    });
    const runtime = await stage.start({
      tools: [write],
      agents: [
        agentOf('main', [], { tools: ['write'], subAgents: ['child'] }),
        agentOf('child', [], { tools: ['write'] }),
      ],
    });
    const task = `##${JSON.stringify([{ tool: 'write', input: { in: 'child' } }, { text: 'child is done' }])}##`;
    const text = script(
      {
        text: 'I begin.',
        tools: [
          { tool: 'write', input: { at: 1 } },
          { tool: 'write', input: { at: 2 } },
        ],
      },
      {
        tools: [
          { tool: 'hand_off_to_child', input: { task } },
          { tool: 'write', input: { at: 3 } },
        ],
      },
      { text: 'all done' },
    );
    let events = 0;
    for (let status = ''; status !== 'completed'; events += 1) {
      const session = `cancelled-after-${events}`;
      status = (await playUntil(runtime, { text, session, events })).result.status;
      expect(['cancelled', 'completed']).toContain(status);
      const next = await runtime.play('go on', { session });
      expect(next.result).toMatchObject({ status: 'completed' });
    }
    expect(events).toBeGreaterThan(15);
    expect(new Set(runs).size).toBe(runs.length);
    expect(stage.simulator.requests().filter(({ status }) => status >= 400)).toEqual([]);
  });
});

/** Cancels a turn when it has shown so many events. */
async function playUntil(
  runtime: Started,
  { text, session, events }: { readonly text: string; readonly session: string; readonly events: number },
): Promise<Played> {
  const cancel = new AbortController();
  const watched = async function* () {
    let shown = 0;
    for await (const event of runtime.events(text, { session, signal: cancel.signal })) {
      if ((shown += 1) > events) cancel.abort();
      yield event;
    }
  };
  return await collect(watched());
}
