import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '@quartermaster/agent/turns';
import { atEachTick, explore, passTicks } from '../schedule/explore.ts';
import {
  cancelled,
  completedTurn,
  createScriptedBackend,
  createTestManager,
  end,
  event,
  said,
} from './scripted-backend.ts';

describe('L8: everything is cancellable', () => {
  test('L8: a cancel at any point of a turn, a start or a wait ends it, and the next turn runs', async () => {
    const seen = new Set<string>();
    const traces = await explore(async (stage) => {
      const script = createScriptedBackend({
        start: (_, engine) => stage.gate(`start ${engine}`),
        turn: async function* (request) {
          yield event(request, { type: 'turn-start', messageId: 'm1' });
          await Promise.race([stage.gate(`work ${request.text}`), cancelled(request)]);
          yield end(request, { status: request.signal.aborted ? 'cancelled' : 'completed' });
        },
      });
      const manager = createTestManager(script);
      const cancel = new AbortController();
      const first = manager.process(said('one'));
      const second = manager.process(said('two'), { signal: cancel.signal });
      const third = manager.process(said('three'));
      const abort = stage.gate('cancel').then(() => cancel.abort());
      await abort;
      const results = await Promise.all([first, second, third]);
      expect(results[0].status).toBe('completed');
      expect(results[2].status).toBe('completed');
      expect(results[1].error).toBeUndefined();
      expect(script.breaches).toEqual([]);
      const hasBegun = script.log.includes('turn two on 1');
      seen.add(`${results[1].status}, ${hasBegun ? 'begun' : 'not begun'}`);
    });
    expect(seen).toEqual(new Set(['cancelled, not begun', 'cancelled, begun', 'completed, begun']));
    expect(traces.length).toBeGreaterThan(5);
  });

  test('L8: a cancel in each microtask of a turn gives a result, and leaves a manager that works', async () => {
    const outcomes = await atEachTick(80, async (strike) => {
      const script = createScriptedBackend();
      const manager = createTestManager(script);
      const cancel = new AbortController();
      void strike().then(() => cancel.abort());
      const { status } = await manager.process(said('one'), { signal: cancel.signal });
      expect((await manager.process(said('two'))).status).toBe('completed');
      await manager.cleanup();
      expect(script.breaches).toEqual([]);
      expect(script.open.size).toBe(0);
      return status;
    });
    expect(outcomes[0]).toBe('cancelled');
    expect(outcomes.at(-1)).toBe('completed');
    expect(new Set(outcomes)).toEqual(new Set(['cancelled', 'completed']));
  });

  test('L8: a signal that is aborted before the call begins nothing', async () => {
    const script = createScriptedBackend();
    const manager = createTestManager(script);
    const signal = AbortSignal.abort();
    expect((await manager.process(said('one'), { signal })).status).toBe('cancelled');
    await expect(manager.initializeServices({ signal })).rejects.toThrow('aborted');
    await expect(manager.reinitialize({}, { signal })).rejects.toThrow('aborted');
    await expect(manager.cleanup({ signal })).rejects.toThrow('aborted');
    expect(script.log).toEqual([]);
  });

  test('L8: a cleanup or a reinitialisation that waits can be cancelled, and changes nothing then', async () => {
    await explore(async (stage) => {
      const script = createScriptedBackend({
        turn: async function* (request) {
          await stage.gate('work');
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script);
      const turn = manager.process(said('one'));
      await passTicks(40);
      const cancel = new AbortController();
      const { signal } = cancel;
      const waits = Promise.allSettled([manager.cleanup({ signal }), manager.reinitialize({}, { signal })]);
      await passTicks(5);
      cancel.abort();
      expect((await waits).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(script.log).not.toContain('end one');
      expect((await turn).status).toBe('completed');
      expect(script.log).not.toContain('close 1');
      expect((await manager.process(said('two'))).status).toBe('completed');
    });
  });

  test('L8: a turn that waits leaves the line at once', async () => {
    await explore(async (stage) => {
      let hasEnded = false;
      const script = createScriptedBackend({
        turn: async function* (request) {
          await stage.gate('work');
          hasEnded = true;
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script);
      const cancel = new AbortController();
      const first = manager.process(said('one'));
      const second = manager.process(said('two'), { signal: cancel.signal });
      cancel.abort();
      expect((await second).status).toBe('cancelled');
      expect(hasEnded).toBe(false);
      await first;
    });
  });

  test('L8: what the engine shows after the cancel, such as results of its calls, is shown', async () => {
    await explore(async (stage) => {
      const shown: TurnEvent[] = [];
      const result = { callId: 'c1', name: 'run', outcome: 'interrupted', text: 'interrupted' } as const;
      const script = createScriptedBackend({
        turn: async function* (request) {
          yield event(request, { type: 'tool-call', callId: 'c1', name: 'run', input: {} });
          await cancelled(request);
          await stage.gate('write the history');
          yield event(request, { type: 'tool-result', result });
          yield end(request, { status: 'cancelled' });
        },
      });
      const cancel = new AbortController();
      const turn = createTestManager(script).process(said('one'), {
        signal: cancel.signal,
        onEvent: (one) => void shown.push(one),
      });
      await stage.gate('cancel');
      cancel.abort();
      expect((await turn).status).toBe('cancelled');
      expect(shown.map(({ type }) => type)).toEqual(['tool-call', 'tool-result', 'turn-end']);
    });
  });

  test.each([
    ['throws the reason of the cancel', 'cancelled'],
    ['throws an AbortError', 'cancelled'],
    ['ends without turn-end', 'cancelled'],
    ['can not store its history', 'failed'],
    ['has completed all the same', 'completed'],
  ])('L8: a cancelled turn that %s is %s', async (how, status) => {
    const cancel = new AbortController();
    const script = createScriptedBackend({
      turn: async function* (request) {
        yield event(request, { type: 'turn-start', messageId: 'm1' });
        await cancelled(request);
        if (how === 'throws the reason of the cancel') throw request.signal.reason;
        if (how === 'throws an AbortError') throw new DOMException('stopped', 'AbortError');
        if (how === 'can not store its history') throw new Error('disk full');
        if (how === 'has completed all the same') yield end(request);
      },
    });
    const onEvent = (): void => cancel.abort(new Error('by the user'));
    const result = await createTestManager(script).process(said('one'), { signal: cancel.signal, onEvent });
    expect(result.status).toBe(status);
  });
});
