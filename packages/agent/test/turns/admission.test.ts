import { createTurnScope, NestedTurnError } from '@quartermaster/agent/turns';
import type { AgentManager } from '@quartermaster/agent/turns';
import { describe, expect, test } from 'vitest';
import { atEachTick, explore } from '../schedule/explore.ts';
import { completedTurn, createScriptedBackend, createTestManager, end, said } from './scripted-backend.ts';
import type { Script, ScriptedBackend } from './scripted-backend.ts';

const isTurn = (line: string): boolean => /^(turn|end)/.test(line);

describe('L1: one turn at a time', () => {
  test('L1: turns run in the order of the calls, whenever those come, beside a cleanup', async () => {
    const traces = await explore(async (stage) => {
      const script = createScriptedBackend({
        start: () => stage.gate('start'),
        turn: async function* (request) {
          await stage.gate(`${request.text} begins`);
          yield* completedTurn(request);
        },
        close: () => stage.gate('close'),
      });
      const manager = createTestManager(script);
      const called: string[] = [];
      const call = async (text: string): Promise<void> => {
        called.push(text);
        expect((await manager.process(said(text))).status).toBe('completed');
      };
      await Promise.all([
        call('one'),
        call('two'),
        stage.gate('call three').then(() => call('three')),
        stage.gate('call four').then(() => call('four')),
        stage.gate('cleanup').then(() => manager.cleanup()),
      ]);
      const turns = script.log.filter(isTurn).map((line) => line.replace(/ on .*/, ''));
      expect(turns).toEqual(called.flatMap((text) => [`turn ${text}`, `end ${text}`]));
      expect(script.breaches).toEqual([]);
    });
    expect(traces.length).toBeGreaterThan(100);
  });

  test('L1: a hundred calls at once keep their order', async () => {
    const script = createScriptedBackend();
    const manager = createTestManager(script);
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => manager.process(said(text))));
    const turns = script.log.filter((line) => line.startsWith('turn'));
    expect(turns).toEqual(texts.map((text) => `turn ${text} on 1`));
  });

  test('L1: a surface that looks first sees the turn that it would wait for, from the call on', async () => {
    await explore(async (stage) => {
      const manager = createTestManager(createScriptedBackend({ start: () => stage.gate('start') }));
      expect(manager.runningTurn()).toBeUndefined();
      const first = manager.process(said('one'));
      expect(manager.runningTurn()).toEqual({
        turn: 't1',
        session: { app: 'shop', user: 'ann', session: 's1' },
      });
      const second = manager.process({ session: 's2', text: 'two' });
      expect(manager.runningTurn()?.turn).toBe('t1');
      await first;
      expect(manager.runningTurn()?.turn).toBe('t2');
      await second;
      expect(manager.runningTurn()).toBeUndefined();
    });
  });
});

describe('L1: inside a turn', () => {
  const waits: readonly (readonly [string, (manager: AgentManager) => Promise<unknown>])[] = [
    ['process', (manager) => manager.process(said('inner'))],
    ['resumeWithJobResult', (manager) => manager.resumeWithJobResult(delivery)],
    ['initializeServices', (manager) => manager.initializeServices()],
    ['reinitialize', (manager) => manager.reinitialize()],
    ['cleanup', (manager) => manager.cleanup()],
    ['the result of a follow-up', async (manager) => manager.followUp('more')?.result()],
  ];
  const delivery = {
    session: { app: 'shop', user: 'ann', session: 's1' },
    job: 'j1',
    text: 'done',
    claim: async () => true,
    complete: async () => undefined,
  };

  test.each(waits)('L1: %s throws NestedTurnError instead of waiting for itself', async (_, wait) => {
    await explore(async (stage) => {
      const caught: unknown[] = [];
      const tryIt = async (): Promise<void> => {
        await stage.gate('inside');
        await wait(manager).catch((error: unknown) => caught.push(error));
      };
      const script: ScriptedBackend = createScriptedBackend({
        turn: async function* (request) {
          if (request.text === 'outer') await tryIt();
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script);
      expect(await manager.process(said('outer'))).toMatchObject({ status: 'completed', text: 'outer' });
      expect(caught).toEqual([expect.any(NestedTurnError)]);
    });
  });

  test('L1: an event, a start and a close are inside too', async () => {
    const caught: string[] = [];
    const tryIt = (where: string) => async (): Promise<void> => {
      await manager.process(said('inner')).catch((error: Error) => caught.push(`${where}: ${error.name}`));
    };
    const script: ScriptedBackend = createScriptedBackend({ start: tryIt('start'), close: tryIt('close') });
    const manager: AgentManager = createTestManager(script);
    await manager.process(said('outer'), { onEvent: tryIt('event') });
    await manager.cleanup();
    const events = Array(3).fill('event: NestedTurnError') as string[];
    expect(caught).toEqual(['start: NestedTurnError', ...events, 'close: NestedTurnError']);
  });

  test('L1: what a turn left running waits for nobody once the turn is over', async () => {
    const seen = new Set<string>();
    await explore(async (stage) => {
      let isOver = false;
      let left: Promise<void> | undefined;
      const script: ScriptedBackend = createScriptedBackend({
        turn: async function* (request) {
          if (request.text === 'outer') {
            left = stage.gate('later').then(async () => {
              const when = isOver ? 'after' : 'inside';
              const outcome = await manager.process(said('later')).catch((error: Error) => error);
              seen.add(`${when}: ${outcome instanceof Error ? outcome.name : outcome.status}`);
            });
            await stage.gate('end of outer');
          }
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script);
      await manager.process(said('outer'));
      isOver = true;
      await left;
    });
    expect(seen).toEqual(new Set(['inside: NestedTurnError', 'after: completed']));
  });

  test('L1: a turn of another manager may run inside, and one of the first inside that may not', async () => {
    const inner: Script = {
      turn: async function* (request) {
        const error: unknown = await outerManager.process(said('again')).catch((error: unknown) => error);
        yield end(request, { text: error instanceof Error ? error.name : 'ran' });
      },
    };
    const innerManager = createTestManager(createScriptedBackend(inner));
    const outer: Script = {
      turn: async function* (request) {
        const { text } = await innerManager.process(said('inner'));
        yield end(request, { text });
      },
    };
    const outerManager: AgentManager = createTestManager(createScriptedBackend(outer));
    expect(await outerManager.process(said('outer'))).toMatchObject({
      status: 'completed',
      text: 'NestedTurnError',
    });
  });

  test('I3: a turn inside a turn sees its own conversation, and the outer one’s is back after it', async () => {
    const scope = createTurnScope();
    const seen: unknown[] = [];
    const see = (): void => void seen.push(scope.currentSession()?.session);
    const innerManager = createTestManager(
      createScriptedBackend({
        turn: async function* (request) {
          see();
          yield* completedTurn(request);
          see();
        },
      }),
      { scope },
    );
    const outerManager = createTestManager(
      createScriptedBackend({
        turn: async function* (request) {
          see();
          await innerManager.process({ session: 'inner', text: 'x' });
          see();
          yield* completedTurn(request);
        },
      }),
      { scope },
    );
    await outerManager.process({ session: 'outer', text: 'x' });
    expect(seen).toEqual(['outer', 'inner', 'inner', 'outer']);
    expect(scope.currentSession()).toBeUndefined();
  });
});

describe('L2: admission', () => {
  test('L2: no cleanup, wherever it comes, leaves a turn with a released backend', async () => {
    const traces = await explore(async (stage) => {
      const script = createScriptedBackend({
        start: () => stage.gate('start'),
        turn: async function* (request) {
          await stage.gate('turn');
          yield* completedTurn(request);
        },
        close: () => stage.gate('close'),
      });
      const manager = createTestManager(script);
      const cleanups = [1, 2].map((n) => stage.gate(`cleanup ${n}`).then(() => manager.cleanup()));
      const turns = ['one', 'two'].map((text) => stage.gate(text).then(() => manager.process(said(text))));
      const outcomes = (await Promise.all(turns)).map(({ status, error }) => error?.code ?? status);
      await Promise.all(cleanups);
      expect(script.breaches).toEqual([]);
      // It takes both cleanups to turn one turn away.
      expect(outcomes.filter((outcome) => outcome !== 'completed')).toEqual(
        outcomes.includes('BACKEND_RELEASED') ? ['BACKEND_RELEASED'] : [],
      );
    });
    expect(traces.length).toBeGreaterThan(300);
  });

  test('L2: a turn that is asked for while the engine is made anew runs on the new one', async () => {
    const traces = await explore(async (stage) => {
      const script = createScriptedBackend({
        keepSessions: () => stage.gate('keep sessions'),
        close: () => stage.gate('close'),
        turn: async function* (request) {
          await stage.gate(`work ${request.text}`);
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script);
      await manager.initializeServices();
      await Promise.all([
        manager.reinitialize({ preserveSessions: true }),
        stage.gate('one').then(() => manager.process(said('one'))),
        stage.gate('two').then(() => manager.process(said('two'))),
      ]);
      expect(script.breaches).toEqual([]);
    });
    expect(traces.length).toBeGreaterThan(10);
  });

  test('L2: a cleanup in each microtask of a turn finds it with a backend, or waits', async () => {
    const starts = await atEachTick(60, async (strike) => {
      const script = createScriptedBackend();
      const manager = createTestManager(script);
      const cleanup = strike().then(() => manager.cleanup());
      const { status } = await manager.process(said('one'));
      await cleanup;
      await manager.cleanup();
      expect(script.breaches).toEqual([]);
      expect(script.open.size).toBe(0);
      expect(status).toBe('completed');
      return script.log.filter((line) => line.startsWith('started')).length;
    });
    // In some of them the cleanup came between the start and the turn lock, and the turn started a second engine.
    expect(new Set(starts)).toEqual(new Set([1, 2]));
  });

  test('L2: a turn whose backend is released time after time fails cleanly', async () => {
    const outcomes = new Set<string>();
    await explore(async (stage) => {
      const script = createScriptedBackend({ start: (_, engine) => stage.gate(`start ${engine}`) });
      const manager = createTestManager(script);
      const turn = manager.process(said('one'));
      const cleanups = [1, 2].map((n) => stage.gate(`cleanup ${n}`).then(() => manager.cleanup()));
      const { status, error } = await turn;
      await Promise.all(cleanups);
      expect(script.breaches).toEqual([]);
      outcomes.add(error?.code ?? status);
    });
    expect(outcomes).toEqual(new Set(['completed', 'BACKEND_RELEASED']));
  });
});
