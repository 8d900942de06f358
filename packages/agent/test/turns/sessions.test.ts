import type { Message } from '@quartermaster/agent/messages';
import { SessionsUnsupportedError } from '@quartermaster/agent/turns';
import type { AgentManager, BackendSessions, SessionCallOptions } from '@quartermaster/agent/turns';
import { describe, expect, test } from 'vitest';
import { explore } from '../schedule/explore.ts';
import { completedTurn, createScriptedBackend, createTestManager, end, said } from './scripted-backend.ts';

type Call = (manager: AgentManager, options?: SessionCallOptions) => Promise<unknown>;

const calls: readonly (readonly [string, Call])[] = [
  ['sessionExists', (manager, options) => manager.sessionExists('s1', options)],
  ['listSessions', (manager, options) => manager.listSessions(options)],
  ['deleteSession', (manager, options) => manager.deleteSession('s1', options)],
  ['recentMessages', (manager, options) => manager.recentMessages('s1', 3, options)],
  ['loadSession', (manager, options) => manager.loadSession('s1', options)],
  ['saveSession', (manager, options) => manager.saveSession('s1', options)],
];

/** Sessions that note how they were called. */
function createSessions(read: () => Promise<void> = async () => undefined) {
  const called: unknown[][] = [];
  const note =
    <Result>(result: Result) =>
    async (...rest: unknown[]): Promise<Result> => {
      called.push(rest);
      await read();
      return result;
    };
  const messages: readonly Message[] = [];
  const sessions: BackendSessions = {
    exists: note(true),
    list: note([{ session: 's1', title: 'Trip', updatedAtMs: 1 }]),
    delete: note(true),
    recentMessages: note(messages),
    load: note(true),
    save: note(undefined),
  };
  return { called, sessions };
}

describe('I1: whose session', () => {
  test.each(calls)(
    'I1: %s goes to the user that it names, and to the default user without one',
    async (name, call) => {
      const { called, sessions } = createSessions();
      const manager = createTestManager(createScriptedBackend({ sessions, supportsSessions: true }));
      await call(manager, { user: 'bob' });
      await call(manager);
      await call(manager, {});
      await call(manager, { user: '' });
      const own = { listSessions: [], recentMessages: ['s1', 3] }[name] ?? ['s1'];
      expect(called).toEqual([[...own, 'bob'], own, own, [...own, '']]);
    },
  );

  test('I1: a turn belongs to the triple of app, user and session', async () => {
    const seen: unknown[] = [];
    const script = createScriptedBackend({
      turn: async function* (request) {
        seen.push(request.session, manager.currentSession());
        yield* completedTurn(request);
      },
    });
    const manager: AgentManager = createTestManager(script);
    await manager.process(said('one'));
    await manager.process({ ...said('two'), user: 'bob' });
    await manager.process({ ...said('three'), user: '' });
    const of = (user: string): unknown => ({ app: 'shop', user, session: 's1' });
    expect(seen).toEqual([of('ann'), of('ann'), of('bob'), of('bob'), of(''), of('')]);
  });

  test('I1: onSessionEnd reads the conversation that it was given, whatever turn is running', async () => {
    await explore(async (stage) => {
      const { called, sessions } = createSessions();
      const ended = { app: 'shop', user: 'bob', session: 'trip' };
      const facts: unknown[] = [];
      const script = createScriptedBackend({
        sessions,
        supportsSessions: true,
        turn: async function* (request) {
          await stage.gate('turn');
          yield* completedTurn(request);
        },
      });
      const manager = createTestManager(script, {
        extractFacts: async ({ session, recentMessages }) => {
          facts.push(session, await recentMessages(5));
        },
      });
      await Promise.all([
        manager.process(said('one')),
        stage.gate('session ends').then(() => manager.onSessionEnd({ session: ended })),
      ]);
      expect(called).toEqual([['trip', 5, 'bob']]);
      expect(facts).toEqual([ended, []]);
    });
  });

  test('I1: a session of another application is refused', async () => {
    const manager = createTestManager(createScriptedBackend({ supportsSessions: true }), {
      extractFacts: async () => undefined,
    });
    const session = { app: 'bank', user: 'ann', session: 's1' };
    await expect(manager.onSessionEnd({ session })).rejects.toMatchObject({ code: 'SESSION_OF_ANOTHER_APP' });
  });
});

test('I2: a backend from before users is called without one for the default user', async () => {
  const argumentCounts: number[] = [];
  const count = async (...rest: unknown[]): Promise<boolean> => argumentCounts.push(rest.length) > 0;
  const { sessions } = createSessions();
  const old: BackendSessions = { ...sessions, exists: count, load: count };
  const manager = createTestManager(createScriptedBackend({ sessions: old, supportsSessions: true }));
  await manager.sessionExists('s1');
  await manager.sessionExists('s1', { user: 'ann' });
  await manager.loadSession('s1', { user: 'bob' });
  expect(argumentCounts).toEqual([1, 1, 2]);
});

describe('I3: the conversation in flight', () => {
  test('I3: turns that wait, and what they left running, never see each other’s', async () => {
    await explore(async (stage) => {
      const seen: string[] = [];
      const left: Promise<void>[] = [];
      const script = createScriptedBackend({
        turn: async function* (request) {
          const see = (when: string): void =>
            void seen.push(`${request.session.session} ${when}: ${manager.currentSession()?.session}`);
          see('begins');
          left.push(stage.gate(`left by ${request.text}`).then(() => see('later')));
          await stage.gate(`work ${request.text}`);
          see('works');
          yield end(request);
          see('ends');
        },
      });
      const manager: AgentManager = createTestManager(script);
      await Promise.all([
        manager.process({ session: 'a', text: 'one' }),
        manager.process({ session: 'b', text: 'two' }),
      ]);
      await Promise.all(left);
      expect(manager.currentSession()).toBeUndefined();
      for (const line of seen) expect(line).toMatch(/^(\w) \w+: \1$/);
      expect(seen).toHaveLength(8);
    });
  });

  test('I3: a sub-agent works in its own, and the turn’s is back after it', async () => {
    const seen: unknown[] = [];
    const script = createScriptedBackend({
      start: async ({ scope }) => void (enter = scope.enter),
      turn: async function* (request) {
        const session = { ...request.session, session: 'sub' };
        await enter?.({ session }, async () => void seen.push(manager.currentSession()?.session));
        seen.push(manager.currentSession()?.session);
        yield* completedTurn(request);
      },
    });
    let enter: ((place: { session: typeof root }, work: () => Promise<void>) => Promise<void>) | undefined;
    const root = { app: 'shop', user: 'ann', session: 's1' };
    const manager: AgentManager = createTestManager(script);
    await manager.process(said('one'));
    expect(seen).toEqual(['sub', 's1']);
  });
});

describe('I4: a backend without a durable store', () => {
  test.each(calls)('I4: %s throws SessionsUnsupportedError, and never answers', async (_, call) => {
    const { called, sessions } = createSessions();
    for (const options of [{}, { supportsSessions: false, sessions }, { supportsSessions: true }]) {
      await expect(call(createTestManager(createScriptedBackend(options)))).rejects.toThrow(
        SessionsUnsupportedError,
      );
    }
    expect(called).toEqual([]);
  });

  test('I4: it keeps none by default, and says so', async () => {
    const manager = createTestManager(createScriptedBackend(), { extractFacts: async () => undefined });
    expect(manager.supportsSessions).toBe(false);
    const session = { app: 'shop', user: 'ann', session: 's1' };
    await expect(manager.onSessionEnd({ session })).rejects.toThrow(SessionsUnsupportedError);
    expect(createTestManager(createScriptedBackend({ supportsSessions: true })).supportsSessions).toBe(true);
  });
});

describe('R5: facts of an ended session', () => {
  test('R5: they are computed before the manager closes, whenever it closes', async () => {
    const traces = await explore(async (stage) => {
      let isClosed = false;
      const { sessions } = createSessions(async () => {
        expect(isClosed).toBe(false);
        await stage.gate('read');
        expect(isClosed).toBe(false);
      });
      const script = createScriptedBackend({
        sessions,
        supportsSessions: true,
        start: async () => void (isClosed = false),
        close: async () => void (isClosed = true),
      });
      const facts: string[] = [];
      const manager = createTestManager(script, {
        extractFacts: async ({ recentMessages }) => {
          await recentMessages(5);
          await stage.gate('compute');
          await recentMessages(1);
          facts.push('a fact');
        },
      });
      const session = { app: 'shop', user: 'ann', session: 's1' };
      await Promise.all([
        manager.onSessionEnd({ session }),
        stage.gate('cleanup').then(async () => {
          await manager.cleanup();
          expect(facts).toEqual(['a fact']);
        }),
      ]);
      expect(script.breaches).toEqual([]);
      expect(script.log.filter((line) => line.startsWith('started'))).toEqual(['started 1']);
    });
    expect(traces.length).toBeGreaterThan(3);
  });

  test('R5: a session call that is under way is waited for too; it may be left by a cancel', async () => {
    await explore(async (stage) => {
      let isRead = false;
      const { sessions } = createSessions(async () => {
        await stage.gate('read');
        isRead = true;
      });
      const script = createScriptedBackend({
        sessions,
        supportsSessions: true,
        close: async () => expect(isRead).toBe(true),
      });
      const manager = createTestManager(script);
      await manager.initializeServices();
      const cancel = new AbortController();
      const listing = manager.listSessions({ signal: cancel.signal });
      cancel.abort();
      await expect(listing).rejects.toThrow('aborted');
      await manager.cleanup();
    });
  });

  test('R5: whoever computes facts can not wait for a turn or a cleanup of the same manager', async () => {
    const { sessions } = createSessions();
    const caught: unknown[] = [];
    const manager: AgentManager = createTestManager(
      createScriptedBackend({ sessions, supportsSessions: true }),
      {
        extractFacts: async () => {
          for (const wait of [() => manager.process(said('sum up')), () => manager.cleanup()]) {
            await wait().catch((error: Error) => caught.push(error.name));
          }
        },
      },
    );
    await manager.onSessionEnd({ session: { app: 'shop', user: 'ann', session: 's1' } });
    expect(caught).toEqual(['NestedTurnError', 'NestedTurnError']);
  });
});
