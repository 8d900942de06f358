import { describe, expect, test } from 'vitest';
import type { BackendStart } from '@quartermaster/agent/turns';
import { atEachTick, explore, passTicks } from '../schedule/explore.ts';
import { completedTurn, createScriptedBackend, createTestManager, said } from './scripted-backend.ts';

describe('L3: initialisation is transactional', () => {
  test('L3: a cancelled start releases what is still built after the cancel, and publishes nothing', async () => {
    const ends = new Set<string>();
    await explore(async (stage) => {
      const script = createScriptedBackend({
        start: (_, engine) => stage.gate(`start ${engine}`),
        close: (engine) => stage.gate(`close ${engine}`),
      });
      const manager = createTestManager(script);
      const cancel = new AbortController();
      const first = manager.process(said('one'), { signal: cancel.signal });
      const abort = stage.gate('cancel').then(() => cancel.abort());
      const second = stage.gate('second').then(() => manager.process(said('two')));
      const { status } = await first;
      await abort;
      expect((await second).status).toBe('completed');
      expect(script.breaches).toEqual([]);
      expect(script.open.size).toBe(1);
      ends.add(`${status}: ${script.log.filter((line) => !/^started|^end/.test(line)).join(', ')}`);
    });
    expect(ends).toEqual(
      new Set([
        'completed: start 1, turn one on 1, turn two on 1',
        'cancelled: start 1, close 1, closed 1, start 2, turn two on 2',
      ]),
    );
  });

  test('L3: whoever cancels a start leaves at once, and the next start waits until it is tidied up', async () => {
    await explore(async (stage) => {
      const script = createScriptedBackend({
        start: (_, engine) => stage.gate(`start ${engine}`),
        close: (engine) => stage.gate(`close ${engine}`),
      });
      const manager = createTestManager(script);
      const cancel = new AbortController();
      const starting = manager.initializeServices({ signal: cancel.signal });
      await passTicks(20);
      cancel.abort(new Error('gone'));
      await expect(starting).rejects.toThrow('gone');
      expect(script.log).toEqual(['start 1']); // it is still being built
      await manager.initializeServices();
      expect(script.log).toEqual(['start 1', 'started 1', 'close 1', 'closed 1', 'start 2', 'started 2']);
      expect(script.breaches).toEqual([]);
    });
  });

  test('L3: a cancel in each microtask of a start leaves one engine, or none', async () => {
    const outcomes = await atEachTick(40, async (strike) => {
      const script = createScriptedBackend({ start: () => Promise.resolve() });
      const manager = createTestManager(script);
      const cancel = new AbortController();
      void strike().then(() => cancel.abort());
      const [outcome] = await Promise.allSettled([manager.initializeServices({ signal: cancel.signal })]);
      await manager.cleanup();
      expect(script.breaches).toEqual([]);
      expect(script.open.size).toBe(0);
      return outcome.status;
    });
    expect(outcomes[0]).toBe('rejected');
    expect(outcomes.at(-1)).toBe('fulfilled');
  });

  test('L3: a start that throws midway leaves nothing, and the same call works later', async () => {
    let isBroken = true;
    const script = createScriptedBackend({
      start: async () => {
        await Promise.resolve();
        if (isBroken) throw new Error('the model is down');
      },
    });
    const manager = createTestManager(script);
    await expect(manager.initializeServices()).rejects.toThrow('the model is down');
    expect(await manager.process(said('one'))).toMatchObject({
      status: 'unavailable',
      error: { code: 'BACKEND_NOT_STARTED', message: 'the model is down' },
    });
    expect(script.open.size).toBe(0);
    isBroken = false;
    expect((await manager.process(said('two'))).status).toBe('completed');
  });

  test('L3: initialising at once starts one engine', async () => {
    await explore(async (stage) => {
      const script = createScriptedBackend({ start: () => stage.gate('start') });
      const manager = createTestManager(script);
      await Promise.all([
        manager.initializeServices(),
        manager.process(said('one')),
        stage.gate('third').then(() => manager.initializeServices()),
      ]);
      expect(script.log.filter((line) => line.startsWith('started'))).toEqual(['started 1']);
    });
  });
});

describe('L4: cleanup', () => {
  test('L4: it waits for the close, also the second call of two at once, and closes once', async () => {
    await explore(async (stage) => {
      const script = createScriptedBackend({ close: () => stage.gate('close') });
      const manager = createTestManager(script);
      await manager.initializeServices();
      const cleanup = async (name: string): Promise<void> => {
        await stage.gate(name);
        await manager.cleanup();
        expect(script.log).toEqual(['start 1', 'started 1', 'close 1', 'closed 1']);
      };
      await Promise.all([cleanup('first'), cleanup('second')]);
      await manager.cleanup();
      expect(script.breaches).toEqual([]);
    });
  });

  test('L4: a close that throws at once is told like any other', async () => {
    const script = createScriptedBackend();
    const start = async (options: BackendStart) => ({
      ...(await script.backend.start(options)),
      close: () => {
        throw new Error('no disk');
      },
    });
    const manager = createTestManager({ backend: { name: 'rude', start } });
    await manager.initializeServices();
    await expect(manager.cleanup()).rejects.toMatchObject({ code: 'BACKEND_NOT_CLOSED' });
    await manager.cleanup();
  });

  test('L4: a close that fails is told once, and the manager can be used again', async () => {
    const fault = new Error('the disk is gone');
    const script = createScriptedBackend({
      close: async (engine) => {
        if (engine === 1) throw fault;
      },
    });
    const manager = createTestManager(script);
    await manager.initializeServices();
    await expect(manager.cleanup()).rejects.toMatchObject({ code: 'BACKEND_NOT_CLOSED', cause: fault });
    await manager.cleanup();
    expect(await manager.process(said('one'))).toMatchObject({ status: 'completed' });
    await manager.cleanup();
    expect(script.breaches).toEqual([]);
  });

  test('L4: what failed to close after its caller was gone is told by the next cleanup', async () => {
    await explore(async (stage) => {
      const fault = new Error('the disk is gone');
      const script = createScriptedBackend({
        start: () => stage.gate('start'),
        close: () => Promise.reject(fault),
      });
      const manager = createTestManager(script);
      const cancel = new AbortController();
      const starting = manager.initializeServices({ signal: cancel.signal });
      await passTicks(20);
      cancel.abort();
      await expect(starting).rejects.toThrow('aborted');
      await expect(manager.cleanup()).rejects.toMatchObject({ code: 'BACKEND_NOT_CLOSED', cause: fault });
      await manager.cleanup();
    });
  });

  test('L4: a cleanup of what was never started does nothing', async () => {
    const script = createScriptedBackend();
    await createTestManager(script).cleanup();
    expect(script.log).toEqual([]);
  });

  test('L1: a cleanup, a reinitialisation and a start wait for the turn that runs', async () => {
    await explore(async (stage) => {
      const script = createScriptedBackend({
        turn: async function* (request) {
          yield* completedTurn(request);
          await stage.gate('end of the turn');
        },
        close: (engine) => stage.gate(`close ${engine}`),
        start: (_, engine) => stage.gate(`start ${engine}`),
      });
      const manager = createTestManager(script);
      await Promise.all([
        manager.process(said('one')),
        stage.gate('cleanup').then(() => manager.cleanup()),
        stage.gate('reinitialize').then(() => manager.reinitialize()),
        stage.gate('initialize').then(() => manager.initializeServices()),
      ]);
      expect(script.breaches).toEqual([]);
      await manager.cleanup();
      expect(script.open.size).toBe(0);
    });
  });
});

test('L1: of changes that wait, one at most comes between two turns that wait too', async () => {
  const traces = await explore(async (stage) => {
    const script = createScriptedBackend({
      keepSessions: () => stage.gate('keep sessions'),
      start: (_, engine) => (engine === 1 ? Promise.resolve() : stage.gate('start')),
      turn: async function* (request) {
        await stage.gate(`work ${request.text}`);
        yield* completedTurn(request);
      },
    });
    const manager = createTestManager(script);
    const turns = [manager.process(said('one')), manager.process(said('two'))];
    await passTicks(40);
    const change = { preserveSessions: true };
    const changes = ['first', 'second', 'third'].map(() => manager.reinitialize(change));
    await Promise.all([...turns, ...changes]);
    const between = script.log.slice(
      script.log.indexOf('end one'),
      script.log.findIndex((line) => line.startsWith('turn two')),
    );
    expect(between.filter((line) => line.startsWith('started'))).toHaveLength(1);
    expect(script.breaches).toEqual([]);
  });
  expect(traces.length).toBeGreaterThan(0);
});

describe('L5: reinitialisation in place', () => {
  /** Engines that hold conversations in memory, and refuse to start with model `bad`. */
  function createForgetful() {
    const starts: Pick<BackendStart, 'model' | 'keptSessions'>[] = [];
    const script = createScriptedBackend({
      start: async ({ model, keptSessions }) => {
        starts.push({ ...(model === undefined ? {} : { model }), keptSessions });
        await Promise.resolve();
        if (model === 'bad') throw new Error('no such model');
      },
      keepSessions: async (engine) => `of ${engine}`,
    });
    return { ...script, starts };
  }

  test('L5: a failed one keeps the manager and its conversation, and a corrected retry gets it', async () => {
    const script = createForgetful();
    const manager = createTestManager(script, { model: 'good' });
    await manager.process(said('one'));
    const change = { model: 'bad', preserveSessions: true };
    await expect(manager.reinitialize(change)).rejects.toThrow('no such model');
    expect(script.open.size).toBe(0);
    await expect(manager.reinitialize(change)).rejects.toThrow('no such model');
    await manager.reinitialize({ model: 'better', preserveSessions: true });
    expect((await manager.process(said('two'))).status).toBe('completed');
    expect(script.starts).toEqual([
      { model: 'good', keptSessions: undefined },
      { model: 'bad', keptSessions: 'of 1' },
      { model: 'bad', keptSessions: 'of 1' },
      { model: 'better', keptSessions: 'of 1' },
    ]);
    expect(script.breaches).toEqual([]);
  });

  test('L5: after a failed one the next turn has its conversation, and the model that worked', async () => {
    const script = createForgetful();
    const manager = createTestManager(script, { model: 'good' });
    await manager.process(said('one'));
    const change = { model: 'bad', preserveSessions: true };
    await expect(manager.reinitialize(change)).rejects.toThrow('no such model');
    expect((await manager.process(said('two'))).status).toBe('completed');
    expect(script.starts.at(-1)).toEqual({ model: 'good', keptSessions: 'of 1' });
  });

  test('L5: without preserveSessions the next engine is given nothing', async () => {
    const script = createForgetful();
    const manager = createTestManager(script);
    await manager.process(said('one'));
    await expect(manager.reinitialize({ model: 'bad', preserveSessions: true })).rejects.toThrow('model');
    await manager.reinitialize({ model: 'better' });
    expect(script.starts.at(-1)).toEqual({ model: 'better', keptSessions: undefined });
  });

  test('L5: one that is cancelled at any point keeps the conversation too', async () => {
    const outcomes = await atEachTick(60, async (strike) => {
      const script = createForgetful();
      const manager = createTestManager(script, { model: 'good' });
      await manager.process(said('one'));
      const cancel = new AbortController();
      void strike().then(() => cancel.abort());
      const change = { model: 'other', preserveSessions: true };
      const [outcome] = await Promise.allSettled([manager.reinitialize(change, { signal: cancel.signal })]);
      await manager.process(said('two'));
      expect(script.breaches).toEqual([]);
      // Either nothing was changed, or what engine 1 held was handed on.
      if (script.starts.length > 1) expect(script.starts.at(-1)?.keptSessions).toBe('of 1');
      await manager.cleanup();
      expect(script.open.size).toBe(0);
      return outcome.status;
    });
    expect(new Set(outcomes)).toEqual(new Set(['rejected', 'fulfilled']));
  });

  test('L5: an engine that can not hand over its conversations goes on with them', async () => {
    const script = createScriptedBackend({ keepSessions: () => Promise.reject(new Error('too large')) });
    const manager = createTestManager(script);
    await manager.process(said('one'));
    await expect(manager.reinitialize({ preserveSessions: true })).rejects.toThrow('too large');
    await manager.process(said('two'));
    expect(script.log.filter((line) => line.startsWith('turn'))).toEqual(['turn one on 1', 'turn two on 1']);
  });

  test('L5: two at once: the second goes by the model of the first', async () => {
    const script = createForgetful();
    const manager = createTestManager(script, { model: 'good' });
    await Promise.all([manager.reinitialize({ model: 'better' }), manager.reinitialize()]);
    expect(script.starts.map(({ model }) => model)).toEqual(['better', 'better']);
  });
});
