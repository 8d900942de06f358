import type { ApprovalRequest, AskPerson } from '@quartermaster/agent/permissions';
import { createAskDialog, createTurnScope } from '@quartermaster/agent/turns';
import type { BackendStart } from '@quartermaster/agent/turns';
import { describe, expect, test } from 'vitest';
import { atEachTick, explore, passTicks } from '../schedule/explore.ts';
import { cancelled, createScriptedBackend, createTestManager, end, said } from './scripted-backend.ts';

const session = { app: 'shop', user: 'ann', session: 's1' };
const signal = new AbortController().signal;

function question(callId: string): ApprovalRequest {
  return { callId, session, input: {}, tool: 'run', question: `May ${callId} run?`, findings: [] };
}

describe('L6: the person to ask belongs to the turn', () => {
  test('L6: each turn asks its own, by its request and by the scope, whoever else waits or leaves', async () => {
    const traces = await explore(async (stage) => {
      const asked: string[] = [];
      const person =
        (name: string): AskPerson =>
        async ({ callId }) => {
          asked.push(`${name}: ${callId}`);
          await stage.gate(`${name} answers`);
          return name === 'ann' ? 'approve' : 'deny';
        };
      let scope: BackendStart['scope'] | undefined;
      const script = createScriptedBackend({
        start: async (options) => void (scope = options.scope),
        turn: async function* (request) {
          const one = await request.ask?.(question(`${request.text} 1`), request);
          // A gate that was made when the engine started knows no turn but the one that it is called in.
          const other = await scope?.ask(question(`${request.text} 2`), request);
          yield end(request, { text: `${one} ${other}` });
        },
      });
      const manager = createTestManager(script);
      const ann = manager.process(said('of ann'), { ask: person('ann') });
      const cancel = new AbortController();
      const gone = manager.process(said('gone'), { ask: person('gone'), signal: cancel.signal });
      const bob = manager.process(said('of bob'), { ask: person('bob') });
      const leave = stage.gate('leave').then(() => cancel.abort());
      expect((await ann).text).toBe('approve approve');
      expect((await bob).text).toBe('deny deny');
      await Promise.all([gone, leave]);
      expect(asked.filter((line) => !line.startsWith('gone'))).toEqual([
        'ann: of ann 1',
        'ann: of ann 2',
        'bob: of bob 1',
        'bob: of bob 2',
      ]);
    });
    expect(traces.length).toBeGreaterThan(5);
  });

  test('L6: a turn without a person has none, also when another one waits with one', async () => {
    const asked: string[] = [];
    const ask: AskPerson = async ({ callId }) => {
      asked.push(callId);
      return 'approve';
    };
    let scope: BackendStart['scope'] | undefined;
    const script = createScriptedBackend({
      start: async (options) => void (scope = options.scope),
      turn: async function* (request) {
        const answer = await scope?.ask(question(request.text), request).catch(() => 'nobody');
        const has = request.ask === undefined ? 'none' : 'one';
        yield end(request, { text: `${has}: ${answer}` });
      },
    });
    const manager = createTestManager(script);
    const [alone, asking] = await Promise.all([
      manager.process(said('alone')),
      manager.process(said('asking'), { ask }),
    ]);
    expect([alone.text, asking.text]).toEqual(['none: nobody', 'one: approve']);
    expect(asked).toEqual(['asking']);
  });

  test('L6: a turn inside a turn asks its own person, or nobody', async () => {
    const scope = createTurnScope();
    const ask: AskPerson = async () => 'approve';
    const answer = (): Promise<string> => scope.ask(question('c1'), { signal }).catch(() => 'nobody');
    const inner = createTestManager(
      createScriptedBackend({
        turn: async function* (request) {
          yield end(request, { text: await answer() });
        },
      }),
      { scope },
    );
    const outer = createTestManager(
      createScriptedBackend({
        turn: async function* (request) {
          const { text } = await inner.process(said('inner'));
          yield end(request, { text: `${text}, then ${await answer()}` });
        },
      }),
      { scope },
    );
    expect((await outer.process(said('outer'), { ask })).text).toBe('nobody, then approve');
    expect(await answer()).toBe('nobody');
  });
});

describe('R4: cancel and the person to ask', () => {
  test('R4: on cancel the engine is cancelled and awaited before its person can no longer be asked', async () => {
    const traces = await explore(async (stage) => {
      const answers: string[] = [];
      let askLater: AskPerson | undefined;
      const script = createScriptedBackend({
        turn: async function* (request) {
          askLater = request.ask;
          await cancelled(request);
          await stage.gate('tidy up');
          // What has to be asked to end in order can still be asked.
          answers.push(String(await request.ask?.(question('keep it?'), { signal })));
          yield end(request, { status: 'cancelled' });
        },
      });
      const cancel = new AbortController();
      const turn = createTestManager(script)
        .process(said('one'), { ask: async () => 'approve', signal: cancel.signal })
        .then((result) => {
          expect(answers).toEqual(['approve']);
          return result;
        });
      await passTicks(40);
      cancel.abort();
      expect((await turn).status).toBe('cancelled');
      expect(script.log.at(-1)).toBe('end one');
      await expect(askLater?.(question('late'), { signal })).rejects.toMatchObject({ code: 'TURN_OVER' });
    });
    expect(traces).toHaveLength(1);
  });

  test('R4: a question that nobody answers ends with its cancel, and with its turn', async () => {
    await explore(async (stage) => {
      const signals: AbortSignal[] = [];
      const ask: AskPerson = (_, options) => {
        signals.push(options.signal);
        return new Promise(() => undefined);
      };
      let left: Promise<unknown> | undefined;
      const script = createScriptedBackend({
        turn: async function* (request) {
          left = request.ask?.(question('left behind'), { signal }).catch((error: unknown) => error);
          const one = await request.ask?.(question('cancelled'), request).catch((error: unknown) => error);
          yield end(request, { status: 'cancelled', text: one === request.signal.reason ? 'yes' : 'no' });
        },
      });
      const cancel = new AbortController();
      const turn = createTestManager(script).process(said('one'), { ask, signal: cancel.signal });
      await stage.gate('cancel');
      cancel.abort();
      expect((await turn).text).toBe('yes');
      expect(await left).toMatchObject({ code: 'TURN_OVER' });
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    });
  });
});

describe('R4: the dialog', () => {
  /** Boxes on a screen, which may only be opened when they are closed and the other way round. */
  function createScreen(answer: (callId: string) => Promise<'approve' | 'deny'>) {
    const steps: string[] = [];
    const ask = createAskDialog({
      closeProgress: () => void steps.push('close progress'),
      openProgress: () => void steps.push('open progress'),
      openDialog: ({ callId }) => {
        steps.push(`open ${callId}`);
        return { answer: answer(callId), close: () => void steps.push(`close ${callId}`) };
      },
    });
    return { steps, ask };
  }

  test.each(['approve', 'deny'] as const)(
    'R4: after the answer %s its box is closed once and progress is back',
    async (given) => {
      const { steps, ask } = createScreen(async () => given);
      expect(await ask(question('c1'), { signal })).toBe(given);
      expect(steps).toEqual(['close progress', 'open c1', 'close c1', 'open progress']);
    },
  );

  test('R4: after a cancel, before or after or beside the answer, it is closed once, and progress stays away', async () => {
    const seen = new Set<string>();
    await explore(async (stage) => {
      const { steps, ask } = createScreen(async () => {
        await stage.gate('answer');
        return 'approve';
      });
      const cancel = new AbortController();
      const asking = ask(question('c1'), { signal: cancel.signal });
      const abort = stage.gate('cancel').then(() => cancel.abort());
      const [outcome] = await Promise.allSettled([asking]);
      await abort;
      expect(steps.filter((step) => step === 'close c1')).toHaveLength(1);
      expect(steps.includes('open progress')).toBe(outcome.status === 'fulfilled');
      seen.add(outcome.status);
    });
    expect(seen).toEqual(new Set(['fulfilled', 'rejected']));
  });

  test('R4: after a failure of the dialog it is closed once, and progress stays away', async () => {
    const { steps, ask } = createScreen(() => Promise.reject(new Error('no terminal')));
    await expect(ask(question('c1'), { signal })).rejects.toThrow('no terminal');
    expect(steps).toEqual(['close progress', 'open c1', 'close c1']);
  });

  test('R4: a question that is cancelled while it waits for the screen is never shown', async () => {
    const seen = new Set<string>();
    await atEachTick(20, async (strike) => {
      const cancel = new AbortController();
      let isShownAfterCancel = false;
      const { steps, ask } = createScreen(async (callId) => {
        if (callId === 'c2') isShownAfterCancel = cancel.signal.aborted;
        return 'approve';
      });
      void strike().then(() => cancel.abort());
      await ask(question('c1'), { signal });
      const first = ask(question('c1'), { signal });
      const [second] = await Promise.allSettled([ask(question('c2'), { signal: cancel.signal }), first]);
      expect(isShownAfterCancel).toBe(false);
      if (second.status === 'rejected') expect(second.reason).toBe(cancel.signal.reason);
      seen.add(steps.includes('open c2') ? 'shown' : 'not shown');
    });
    expect(seen).toEqual(new Set(['shown', 'not shown']));
  });

  test('R4: two questions at once are asked one after the other', async () => {
    await explore(async (stage) => {
      const { steps, ask } = createScreen(async (callId) => {
        await stage.gate(callId);
        return 'approve';
      });
      await Promise.all([ask(question('c1'), { signal }), ask(question('c2'), { signal })]);
      const boxes = steps.filter((step) => /c\d/.test(step));
      expect(boxes).toEqual(['open c1', 'close c1', 'open c2', 'close c2']);
    });
  });
});
