import { createWorkflowController, NestedTurnError } from '@quartermaster/agent/turns';
import type { AgentManager, WorkflowController, WorkflowState } from '@quartermaster/agent/turns';
import { describe, expect, test } from 'vitest';
import { explore, passTicks } from '../schedule/explore.ts';
import type { Stage } from '../schedule/explore.ts';
import { completedTurn, createScriptedBackend, createTestManager, said } from './scripted-backend.ts';
import type { Script, ScriptedBackend } from './scripted-backend.ts';

/** A controller of managers on scripted backends, each of which may be made once. */
function createTestController(script: Script = {}, stage?: Stage) {
  const scripts: ScriptedBackend[] = [];
  const states: string[] = [];
  let isClosed = false;
  const controller: WorkflowController = createWorkflowController({
    construct: async () => {
      await stage?.gate(`construct ${scripts.length + 1}`);
      const scripted = createScriptedBackend(script);
      scripts.push(scripted);
      return createTestManager(scripted);
    },
    onState: ({ type }) => {
      expect(isClosed).toBe(false);
      states.push(type);
    },
  });
  const close = (options?: { signal: AbortSignal }): Promise<void> => {
    isClosed = true;
    return controller.close(options);
  };
  const check = (open: number): void => {
    expect(scripts.flatMap(({ breaches }) => breaches)).toEqual([]);
    expect(scripts.reduce((sum, scripted) => sum + scripted.open.size, 0)).toBe(open);
  };
  return { controller, close, scripts, states, check };
}

const typeOf = (state: WorkflowState): string => state.type;

describe('L7: the state', () => {
  test('L7: it is derived from what there is, at every step', async () => {
    let isBroken = true;
    const { controller, close, states } = createTestController({
      start: async ({ model }) => {
        if (isBroken || model === 'bad') throw new Error('no such model');
      },
    });
    expect(controller.state()).toEqual({ type: 'idle' });
    await expect(controller.open()).rejects.toThrow('no such model');
    expect(controller.state()).toMatchObject({ type: 'failed', initError: { message: 'no such model' } });
    isBroken = false;
    const manager = await controller.open();
    expect(controller.state()).toEqual({ type: 'ready', manager });
    const change = { model: 'bad', preserveSessions: true };
    await expect(controller.reinitialize(change)).rejects.toThrow('no such model');
    expect(controller.state()).toMatchObject({ type: 'failed' });
    expect(await controller.reinitialize({ model: 'good' })).toBe(manager);
    expect(controller.state()).toEqual({ type: 'ready', manager });
    const closing = close();
    expect(controller.state()).toEqual({ type: 'closing' });
    await closing;
    expect(controller.state()).toEqual({ type: 'closed' });
    expect(states).toEqual(
      ['failed', 'ready', 'failed', 'ready'].flatMap((outcome) => ['starting', outcome]),
    );
  });

  test('L7: initError is cleared by every success: an open, a reinitialisation', async () => {
    for (const retry of ['open', 'reinitialize'] as const) {
      const { controller } = createTestController({
        start: async ({ model }) => {
          if (model === 'bad') throw new Error('no such model');
        },
      });
      await controller.open();
      await expect(controller.reinitialize({ model: 'bad' })).rejects.toThrow('no such model');
      await (retry === 'open' ? controller.open() : controller.reinitialize({ model: 'good' }));
      expect(typeOf(controller.state())).toBe('ready');
    }
  });

  test('L7: a manager whose engine can not start with the configured model is mended by another', async () => {
    const { controller, scripts, check } = createTestController({
      start: async ({ model }) => {
        if (model !== 'good') throw new Error('no such model');
      },
    });
    await expect(controller.open()).rejects.toThrow('no such model');
    await controller.reinitialize({ model: 'good' });
    expect(typeOf(controller.state())).toBe('ready');
    expect(scripts).toHaveLength(2);
    check(1);
  });
});

describe('L7: transitions', () => {
  test('L7: they are serialised, whatever is asked for at once, and one manager comes of them', async () => {
    const traces = await explore(async (stage) => {
      const { controller, scripts, states, check } = createTestController(
        { start: (_, engine) => stage.gate(`start ${engine}`) },
        stage,
      );
      const managers = await Promise.all([
        stage.gate('open 1').then(() => controller.open()),
        stage.gate('reinitialize').then(() => controller.reinitialize({ model: 'other' })),
        stage.gate('open 2').then(() => controller.open()),
      ]);
      expect(new Set(managers).size).toBe(1);
      expect(scripts).toHaveLength(1);
      states.forEach((state, n) => expect(state).toBe(n % 2 === 0 ? 'starting' : 'ready'));
      check(1);
    });
    expect(traces.length).toBeGreaterThan(10);
  });

  test('L7: a caller that is cancelled leaves at once; what was built for it is cleaned up, once', async () => {
    const seen = new Set<string>();
    await explore(async (stage) => {
      const { controller, scripts, check } = createTestController(
        { start: () => stage.gate('start'), close: () => stage.gate('cleanup') },
        stage,
      );
      const cancel = new AbortController();
      const opening = controller.open({ signal: cancel.signal });
      const abort = stage.gate('cancel').then(() => cancel.abort());
      const [outcome] = await Promise.allSettled([opening]);
      await abort;
      if (outcome.status === 'fulfilled') {
        check(1);
        expect(controller.state()).toEqual({ type: 'ready', manager: outcome.value });
      } else {
        const manager = await controller.open(); // it waits until the first is tidied up
        expect(controller.state()).toEqual({ type: 'ready', manager });
        expect(scripts).toHaveLength(2);
        expect(scripts[0]?.log).toEqual(['start 1', 'started 1', 'close 1', 'closed 1']);
        check(1);
      }
      seen.add(outcome.status);
    });
    expect(seen).toEqual(new Set(['fulfilled', 'rejected']));
  });

  test('L7: the construction does not see the cancel of its caller', async () => {
    await explore(async (stage) => {
      let seen: AbortSignal | undefined;
      const script = createScriptedBackend({ start: async ({ signal }) => signal.throwIfAborted() });
      const controller = createWorkflowController({
        construct: async ({ signal }) => {
          seen = signal;
          await stage.gate('construct');
          expect(signal.aborted).toBe(false);
          return createTestManager(script);
        },
      });
      const cancel = new AbortController();
      const opening = controller.open({ signal: cancel.signal });
      await passTicks(20);
      cancel.abort();
      await expect(opening).rejects.toThrow('aborted');
      expect(seen?.aborted).toBe(false);
      await controller.close();
      expect(seen?.aborted).toBe(true);
    });
  });

  test('L7: a cancelled reinitialisation goes on, and its manager is kept', async () => {
    await explore(async (stage) => {
      const { controller, check } = createTestController({
        start: (_, engine) => (engine === 1 ? Promise.resolve() : stage.gate('start again')),
      });
      const manager = await controller.open();
      const cancel = new AbortController();
      const changing = controller.reinitialize({ model: 'other' }, { signal: cancel.signal });
      await passTicks(40);
      cancel.abort();
      await expect(changing).rejects.toThrow('aborted');
      expect(await controller.open()).toBe(manager);
      expect(controller.state()).toEqual({ type: 'ready', manager });
      check(1);
    });
  });
});

describe('L7: close', () => {
  test('L7: whenever it comes, it publishes nothing more and leaves nothing open', async () => {
    const seen = new Set<string>();
    const traces = await explore(async (stage) => {
      const { controller, close, check } = createTestController(
        { start: (_, engine) => stage.gate(`start ${engine}`), close: () => stage.gate('release') },
        stage,
      );
      const opening = controller.open();
      const changing = stage.gate('reinitialize').then(() => controller.reinitialize({ model: 'other' }));
      const closing = stage.gate('close').then(() => close());
      const outcomes = await Promise.allSettled([opening, changing]);
      await closing;
      expect(controller.state()).toEqual({ type: 'closed' });
      check(0);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'WORKFLOW_CLOSED' });
        seen.add(outcome.status);
      }
    });
    expect(traces.length).toBeGreaterThan(5);
    expect(seen).toEqual(new Set(['fulfilled', 'rejected']));
  });

  test.each(['open', 'reinitialize'] as const)(
    'L7: an %s that ends after it, whatever it was told, gives nobody a manager',
    async (how) => {
      const seen = new Set<boolean>();
      await explore(async (stage) => {
        const script = createScriptedBackend();
        const manager = createTestManager(script);
        const deaf = {
          ...manager,
          initializeServices: () => manager.initializeServices(),
          reinitialize: async () => {
            await stage.gate('make anew');
            await manager.reinitialize();
          },
        };
        const controller = createWorkflowController({
          construct: async () => {
            await stage.gate('construct');
            return deaf;
          },
        });
        if (how === 'reinitialize') await controller.open();
        const changing = how === 'open' ? controller.open() : controller.reinitialize({});
        let isClosing = false;
        const closing = stage.gate('close').then(() => {
          isClosing = true;
          return controller.close();
        });
        const [outcome] = await Promise.allSettled([
          changing.then(() => expect(isClosing).toBe(false)),
          closing,
        ]);
        const hasWon = outcome.status === 'fulfilled';
        if (!hasWon) expect(outcome.reason).toMatchObject({ code: 'WORKFLOW_CLOSED' });
        expect(controller.state()).toEqual({ type: 'closed' });
        expect(script.open.size).toBe(0);
        expect(script.breaches).toEqual([]);
        seen.add(hasWon);
      });
      expect(seen).toEqual(new Set([true, false]));
    },
  );

  test('L7: it joins the cleanup of a construction that was abandoned', async () => {
    await explore(async (stage) => {
      const { controller, close, check, scripts } = createTestController(
        { close: () => stage.gate('release') },
        stage,
      );
      const cancel = new AbortController();
      const opening = controller.open({ signal: cancel.signal });
      await passTicks(20);
      cancel.abort();
      await expect(opening).rejects.toThrow('aborted');
      await close();
      expect(scripts[0]?.log.filter((line) => line.startsWith('close'))).toEqual(
        scripts[0]?.log.includes('started 1') === true ? ['close 1', 'closed 1'] : [],
      );
      check(0);
    });
  });

  test('L7: a cancelled caller can not abandon half a teardown, and a later close joins it', async () => {
    await explore(async (stage) => {
      const { controller, close, scripts, check } = createTestController({
        close: () => stage.gate('release'),
      });
      await controller.open();
      const cancel = new AbortController();
      const first = close({ signal: cancel.signal });
      const abort = stage.gate('cancel').then(() => cancel.abort());
      const second = stage.gate('close again').then(() => controller.close());
      const [outcome] = await Promise.allSettled([first]);
      await second;
      await abort;
      expect(outcome.status).toBe(scripts[0]?.log.length === 4 ? outcome.status : 'rejected');
      expect(scripts[0]?.log).toEqual(['start 1', 'started 1', 'close 1', 'closed 1']);
      expect(controller.state()).toEqual({ type: 'closed' });
      check(0);
    });
  });

  test('L7: it waits for the turn that runs', async () => {
    await explore(async (stage) => {
      const { controller, close, check } = createTestController({
        turn: async function* (request) {
          await stage.gate('work');
          yield* completedTurn(request);
        },
      });
      const manager = await controller.open();
      const turn = manager.process(said('one'));
      await passTicks(40);
      await close();
      expect((await turn).status).toBe('completed');
      check(0);
    });
  });

  test('L7: inside a turn it throws NestedTurnError, and nothing is closed', async () => {
    let caught: unknown;
    const { controller, check } = createTestController({
      turn: async function* (request) {
        await controller.close().catch((error: unknown) => (caught = error));
        yield* completedTurn(request);
      },
    });
    const manager: AgentManager = await controller.open();
    expect((await manager.process(said('one'))).status).toBe('completed');
    expect(caught).toBeInstanceOf(NestedTurnError);
    expect(typeOf(controller.state())).toBe('ready');
    check(1);
  });

  test('L7: what did not close is told to everyone who closes, and it is closed all the same', async () => {
    const fault = new Error('the disk is gone');
    const { controller, close } = createTestController({ close: () => Promise.reject(fault) });
    await controller.open();
    const told = { code: 'BACKEND_NOT_CLOSED', cause: fault };
    await expect(close()).rejects.toMatchObject(told);
    await expect(close()).rejects.toMatchObject(told);
    expect(controller.state()).toEqual({ type: 'closed' });
    await expect(controller.open()).rejects.toMatchObject({ code: 'WORKFLOW_CLOSED' });
  });
});
