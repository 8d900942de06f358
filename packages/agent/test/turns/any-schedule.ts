import fc from 'fast-check';
import { createWorkflowController } from '@quartermaster/agent/turns';
import type { AgentManager, BackendSessions, TurnResult } from '@quartermaster/agent/turns';
import { expect } from 'vitest';
import { runOnce } from '../schedule/explore.ts';
import type { Stage } from '../schedule/explore.ts';
import { cancelled, createScriptedBackend, createTestManager, end, event, said } from './scripted-backend.ts';
import type { Script } from './scripted-backend.ts';

const actions = [
  'process',
  'initialize',
  'reinitialize',
  'cleanup',
  'list',
  'session end',
  'follow up',
] as const;

/** One thing that somebody does with a manager, and whether they lose patience. */
interface Deed {
  readonly action: (typeof actions)[number];
  readonly isCancelled: boolean;
}

const deed = fc.record({ action: fc.constantFrom(...actions), isCancelled: fc.boolean() });
const faults = fc.record({ start: fc.array(fc.boolean()), close: fc.array(fc.boolean()) });
const choices = fc.array(fc.nat(), { minLength: 10, maxLength: 60 });

/** Whatever is done with a manager at once, in whatever order its steps go on, and whatever fails. */
export async function checkManagers(runs: number, seed: number): Promise<void> {
  const property = fc.asyncProperty(
    fc.array(deed, { minLength: 1, maxLength: 6 }),
    faults,
    choices,
    checkOne,
  );
  await fc.assert(property, { numRuns: runs, seed });
}

async function checkOne(
  deeds: readonly Deed[],
  broken: { readonly start: readonly boolean[]; readonly close: readonly boolean[] },
  choices: readonly number[],
): Promise<void> {
  let chosen = 0;
  await runOnce(
    async (stage) => {
      const script = createScriptedBackend({ ...hesitant(stage, broken), supportsSessions: true });
      const manager = createTestManager(script, {
        extractFacts: async ({ recentMessages }) => void (await recentMessages(3)),
      });
      const asked: string[] = [];
      await Promise.all(deeds.map((one, n) => perform(one, `${n}`, { stage, manager, asked })));
      while (manager.runningTurn() !== undefined) await stage.gate('idle');
      // Two cleanups: the first may tell what failed to close before.
      await manager.cleanup().catch(() => undefined);
      await manager.cleanup();
      expect(script.breaches).toEqual([]);
      expect(script.open.size).toBe(0);
      const turns = script.log.flatMap((line) => /^turn (\w+)/.exec(line)?.[1] ?? []);
      expect(turns).toEqual(asked.filter((text) => turns.includes(text)));
    },
    (width) => (choices[chosen++ % choices.length] ?? 0) % width,
  );
}

/** An engine whose every step waits for the schedule, and may fail. */
function hesitant(
  stage: Stage,
  broken: { readonly start: readonly boolean[]; readonly close: readonly boolean[] },
): Script {
  const list = async (): Promise<readonly never[]> => {
    await stage.gate('read sessions');
    return [];
  };
  const none = async (): Promise<boolean> => false;
  const sessions: BackendSessions = {
    list,
    recentMessages: list,
    exists: none,
    delete: none,
    load: none,
    save: async () => undefined,
  };
  return {
    sessions,
    start: async (_, engine) => {
      await stage.gate(`start ${engine}`);
      if (broken.start[engine - 1] === true) throw new Error('it does not start');
    },
    turn: async function* (request) {
      yield event(request, { type: 'turn-start', messageId: 'm1' });
      await Promise.race([stage.gate(`work ${request.text}`), cancelled(request)]);
      yield end(request, { status: request.signal.aborted ? 'cancelled' : 'completed' });
    },
    keepSessions: () => stage.gate('keep sessions'),
    close: async (engine) => {
      await stage.gate(`close ${engine}`);
      if (broken.close[engine - 1] === true) throw new Error('it does not close');
    },
  };
}

interface Place {
  readonly stage: Stage;
  readonly manager: AgentManager;
  /** The texts of turns, in the order in which they were asked for. */
  readonly asked: string[];
}

async function perform({ action, isCancelled }: Deed, name: string, place: Place): Promise<void> {
  const { stage, manager, asked } = place;
  const cancel = new AbortController();
  const { signal } = cancel;
  await stage.gate(`${action} ${name}`);
  if (isCancelled) void stage.gate(`cancel ${name}`).then(() => cancel.abort());
  const say = (text: string): string => (asked.push(text), text);
  const checkResult = ({ status, error }: TurnResult): void => {
    if (status === 'cancelled') expect(signal.aborted).toBe(true);
    if (status === 'unavailable') expect(error?.code).toMatch(/^BACKEND_/);
    expect(status).not.toBe('failed');
  };
  const acts: Readonly<Record<Deed['action'], () => Promise<unknown>>> = {
    process: async () => checkResult(await manager.process(said(say(`turn${name}`)), { signal })),
    'follow up': async () => {
      if (manager.runningTurn() === undefined) return;
      const followUp = manager.followUp(say(`follow${name}`), { signal });
      if (followUp !== undefined) checkResult(await followUp.result());
    },
    initialize: () => manager.initializeServices({ signal }),
    reinitialize: () => manager.reinitialize({ preserveSessions: name === '0' }, { signal }),
    cleanup: () => manager.cleanup({ signal }),
    list: () => manager.listSessions({ signal }),
    'session end': () =>
      manager.onSessionEnd({ session: { app: 'shop', user: 'bob', session: 's1' } }, { signal }),
  };
  const isTurn = action === 'process' || action === 'follow up';
  await acts[action]().catch((error: unknown) => {
    if (isTurn) throw error;
  });
}

/** The same of a controller, whose close comes somewhere in between. */
export async function checkControllers(runs: number, seed: number): Promise<void> {
  const step = fc.record({ how: fc.constantFrom('open', 'reinitialize'), isCancelled: fc.boolean() });
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 4 }),
    faults,
    choices,
    async (steps, broken, choices) => {
      let chosen = 0;
      await runOnce(
        async (stage) => {
          const scripts: ReturnType<typeof createScriptedBackend>[] = [];
          let isClosing = false;
          const controller = createWorkflowController({
            construct: async () => {
              await stage.gate('construct');
              const script = createScriptedBackend(hesitant(stage, broken));
              scripts.push(script);
              return createTestManager(script);
            },
            onState: ({ type }) => {
              expect(isClosing).toBe(false);
              expect(controller.state().type).toBe(type);
            },
          });
          const doings = steps.map(async ({ how, isCancelled }, n) => {
            const cancel = new AbortController();
            const { signal } = cancel;
            await stage.gate(`${how} ${n}`);
            if (isCancelled) void stage.gate(`cancel ${n}`).then(() => cancel.abort());
            const doing =
              how === 'open' ? controller.open({ signal }) : controller.reinitialize({}, { signal });
            await doing.then(() => expect(isClosing).toBe(false), checkRejection);
          });
          const closing = stage.gate('close').then(async () => {
            isClosing = true;
            await controller.close().catch(checkRejection);
          });
          await Promise.all([...doings, closing]);
          expect(controller.state()).toEqual({ type: 'closed' });
          expect(scripts.flatMap(({ breaches }) => breaches)).toEqual([]);
          expect(scripts.flatMap(({ open }) => [...open])).toEqual([]);
        },
        (width) => (choices[chosen++ % choices.length] ?? 0) % width,
      );
    },
  );
  await fc.assert(property, { numRuns: runs, seed });
}

function checkRejection(error: unknown): void {
  const isKnown =
    error instanceof Error &&
    /aborted|does not start|WORKFLOW_CLOSED|was closed|let go of/.test(String(error));
  if (!isKnown) throw error;
}
