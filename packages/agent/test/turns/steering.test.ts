import type { FollowUp, TurnEvent } from '@quartermaster/agent/turns';
import { describe, expect, test } from 'vitest';
import { explore } from '../schedule/explore.ts';
import {
  cancelled,
  completedTurn,
  createScriptedBackend,
  createTestManager,
  end,
  said,
} from './scripted-backend.ts';

describe('RL5: steering', () => {
  test('RL5: what is said enters the running turn in order, or is handed back; none is lost, none is heard twice', async () => {
    const seen = new Set<string>();
    await explore(async (stage) => {
      const script = createScriptedBackend({
        turn: async function* (request) {
          const heard: string[] = [];
          for (const step of ['first', 'second']) {
            await stage.gate(step);
            heard.push(...request.takeSteering());
          }
          await stage.gate('last words');
          yield end(request, { text: heard.join('+') });
        },
      });
      const manager = createTestManager(script);
      const turn = manager.process(said('one'));
      const steer = async (text: string): Promise<void> => {
        await stage.gate(`say ${text}`);
        if (manager.steer(text) === undefined) late.push(text);
      };
      const late: string[] = [];
      await Promise.all([turn, steer('a'), steer('b')]);
      const { text, unheard = [] } = await turn;
      const all = [...text.split('+').filter(Boolean), ...unheard, ...late];
      expect(all.toSorted()).toEqual(['a', 'b']);
      seen.add(`${text}|${unheard.join('+')}|${late.join('+')}`);
    });
    expect(seen).toContain('a+b||');
    expect(seen).toContain('b+a||');
    expect(seen).toContain('a|b|');
    expect(seen).toContain('a||b');
  });

  test('RL5: it goes to the turn that was meant, and to none when that one is not running', async () => {
    await explore(async (stage) => {
      const script = createScriptedBackend({
        turn: async function* (request) {
          await stage.gate(`work ${request.text}`);
          yield end(request, { text: request.takeSteering().join('+') });
        },
      });
      const manager = createTestManager(script);
      expect(manager.steer('nobody')).toBeUndefined();
      const turns = [manager.process(said('one')), manager.process(said('two'))];
      expect(manager.steer('of one', { turn: 't1' })).toBe('t1');
      expect(manager.steer('of two', { turn: 't2' })).toBeUndefined();
      expect((await Promise.all(turns)).map(({ text }) => text)).toEqual(['of one', '']);
    });
  });

  test('RL5: what was said to a turn that never began is handed back', async () => {
    const manager = createTestManager(
      createScriptedBackend({ start: () => Promise.reject(new Error('down')) }),
    );
    const turn = manager.process(said('one'));
    manager.steer('faster');
    expect(await turn).toMatchObject({ status: 'unavailable', unheard: ['faster'] });
  });
});

describe('RL5: follow-up', () => {
  test('RL5: it runs after the turn, in its session and for its consumer, and may be said inside the turn', async () => {
    await explore(async (stage) => {
      let followUp: FollowUp | undefined;
      const shown: string[] = [];
      const script = createScriptedBackend({
        turn: async function* (request) {
          await stage.gate(`work ${request.text}`);
          if (request.text === 'one') followUp = manager.followUp('more');
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script);
      const onEvent = (event: TurnEvent): void => {
        if (event.type === 'turn-end') shown.push(`${event.turn} of ${event.session.session}`);
      };
      const one = manager.process({ session: 'trip', user: 'bob', text: 'one' }, { onEvent });
      const two = manager.process(said('two'));
      expect((await one).text).toBe('one');
      expect(await followUp?.result()).toMatchObject({ status: 'completed', text: 'more' });
      await two;
      expect(followUp?.turn).toBe('t3');
      expect(shown).toEqual(['t1 of trip', 't3 of trip']);
      expect(script.breaches).toEqual([]);
    });
  });

  test('RL5: without a running turn there is nothing to follow', () => {
    expect(createTestManager(createScriptedBackend()).followUp('more')).toBeUndefined();
  });

  test('RL5: it is cancelled with the turn that it follows, unless it has a consumer of its own', async () => {
    const script = createScriptedBackend({
      turn: async function* (request) {
        if (request.text === 'one') await cancelled(request);
        yield end(request, { status: request.signal.aborted ? 'cancelled' : 'completed' });
      },
    });
    const manager = createTestManager(script);
    const cancel = new AbortController();
    const one = manager.process(said('one'), { signal: cancel.signal });
    const dependent = manager.followUp('dependent');
    const independent = manager.followUp('independent', {});
    cancel.abort();
    const results = await Promise.all([one, dependent?.result(), independent?.result()]);
    expect(results.map((result) => result?.status)).toEqual(['cancelled', 'cancelled', 'completed']);
    expect(script.log.filter((line) => line.startsWith('turn'))).not.toContain('turn dependent on 1');
  });

  test('RL5: a turn that follows itself for ever does not make the next one more expensive', async () => {
    let turns = 0;
    const script = createScriptedBackend({
      turn: async function* (request) {
        turns += 1;
        if (turns < 5000) last = manager.followUp('more') ?? last;
        yield end(request);
      },
    });
    const manager = createTestManager(script);
    let last: FollowUp | undefined;
    await manager.process(said('one'));
    while (manager.runningTurn() !== undefined) await last?.result();
    expect(turns).toBe(5000);
  });
});
