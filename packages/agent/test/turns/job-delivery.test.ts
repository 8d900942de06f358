import type { JobDelivery, TurnResult } from '@quartermaster/agent/turns';
import { describe, expect, test } from 'vitest';
import { atEachTick, explore } from '../schedule/explore.ts';
import { completedTurn, createScriptedBackend, createTestManager, said } from './scripted-backend.ts';

/** A record as `beginResume` and `completeResume` keep it (J1). */
function createRecord() {
  const states: string[] = ['pending'];
  const claim = async (): Promise<boolean> => {
    if (states.at(-1) !== 'pending') return false;
    states.push('resuming');
    return true;
  };
  const complete = async ({ status }: TurnResult): Promise<void> => {
    if (states.at(-1) !== 'resuming') throw new Error(`completed from ${states.at(-1)}`);
    states.push(status === 'completed' ? 'delivered' : 'failed');
  };
  const session = { app: 'shop', user: 'bob', session: 'trip' };
  const delivery: JobDelivery = { session, job: 'j1', text: 'it is done', claim, complete };
  return { states, delivery };
}

describe('the result of a job', () => {
  test('L1: it enters through admission: it waits for the turn that runs, and a later turn for it', async () => {
    await explore(async (stage) => {
      const script = createScriptedBackend({
        turn: async function* (request) {
          await stage.gate(`work ${request.text}`);
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script);
      const { states, delivery } = createRecord();
      await Promise.all([
        manager.process(said('one')),
        manager.resumeWithJobResult(delivery),
        manager.process(said('two')),
        stage.gate('cleanup').then(() => manager.cleanup()),
      ]);
      const turns = script.log
        .filter((line) => line.startsWith('turn'))
        .map((line) => line.replace(/ on .*/, ''));
      expect(turns).toEqual(['turn one', 'turn it is done', 'turn two']);
      expect(states).toEqual(['pending', 'resuming', 'delivered']);
      expect(script.breaches).toEqual([]);
    });
  });

  test('J10: it reaches the conversation that it came from, as one input however often it is delivered', async () => {
    const requests: unknown[] = [];
    const script = createScriptedBackend({
      turn: async function* (request) {
        requests.push([request.session, request.requestId]);
        yield* completedTurn(request);
      },
    });
    const { delivery } = createRecord();
    await createTestManager(script).resumeWithJobResult(delivery);
    expect(requests).toEqual([[{ app: 'shop', user: 'bob', session: 'trip' }, 'job:j1']]);
  });

  test('J1: two that deliver it at once run one turn, whatever the order', async () => {
    await explore(async (stage) => {
      const { states, delivery } = createRecord();
      const scripts = [createScriptedBackend(), createScriptedBackend()];
      const results = await Promise.all(
        scripts.map(async (script, n) => {
          await stage.gate(`process ${n}`);
          return createTestManager(script).resumeWithJobResult(delivery);
        }),
      );
      const outcomes = results.map(({ status, error }) => error?.code ?? status);
      expect(outcomes.toSorted()).toEqual(['TURN_NOT_CLAIMED', 'completed']);
      expect(states).toEqual(['pending', 'resuming', 'delivered']);
      expect(scripts.flatMap(({ log }) => log.filter((line) => line.startsWith('turn')))).toHaveLength(1);
    });
  });

  test('J1: it is claimed when its turn is about to begin, not while it waits', async () => {
    await explore(async (stage) => {
      const { states, delivery } = createRecord();
      const script = createScriptedBackend({
        start: () => stage.gate('start'),
        turn: async function* (request) {
          if (request.text === 'one') {
            await stage.gate('work');
            expect(states).toEqual(['pending']);
          }
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script);
      const results = await Promise.all([
        manager.process(said('one')),
        manager.resumeWithJobResult(delivery),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['completed', 'completed']);
    });
  });

  test('J1: a cancel in each microtask leaves the record pending, or ends it', async () => {
    const outcomes = await atEachTick(80, async (strike) => {
      const { states, delivery } = createRecord();
      const cancel = new AbortController();
      void strike().then(() => cancel.abort());
      const script = createScriptedBackend();
      const manager = createTestManager(script);
      const { status } = await manager.resumeWithJobResult(delivery, { signal: cancel.signal });
      const hasRun = script.log.some((line) => line.startsWith('turn'));
      return `${status}: ${states.at(-1)}${hasRun ? ', run' : ''}`;
    });
    expect(new Set(outcomes)).toEqual(
      new Set(['cancelled: pending', 'cancelled: failed', 'completed: delivered, run']),
    );
  });

  test('J1: when the claim or its completion fails, it is not hidden', async () => {
    const { delivery } = createRecord();
    const manager = createTestManager(createScriptedBackend());
    const locked = { ...delivery, claim: () => Promise.reject(new Error('the store is locked')) };
    expect(await manager.resumeWithJobResult(locked)).toMatchObject({
      status: 'unavailable',
      error: { message: 'the store is locked' },
    });
    const foreign = { ...delivery, complete: () => Promise.reject(new Error('another owner')) };
    await expect(manager.resumeWithJobResult(foreign)).rejects.toThrow('another owner');
  });

  test('I1: one of another application is refused before it is claimed', async () => {
    const { states, delivery } = createRecord();
    const foreign = { ...delivery, session: { ...delivery.session, app: 'bank' } };
    const resuming = createTestManager(createScriptedBackend()).resumeWithJobResult(foreign);
    await expect(resuming).rejects.toMatchObject({ code: 'SESSION_OF_ANOTHER_APP' });
    expect(states).toEqual(['pending']);
  });
});
