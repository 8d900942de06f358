import { AgentError } from '../agent-error.ts';
import type { RunningBackend } from './backend.ts';
import { createEngineSlot } from './engine-slot.ts';
import type { EngineSlotOptions } from './engine-slot.ts';
import { createLock } from './lock.ts';
import type { ReentryGuard } from './reentry-guard.ts';
import { closedBefore } from './turn-errors.ts';
import { untilAborted } from './until-aborted.ts';

/** How long something may be waited for. */
export interface Waiting {
  readonly signal: AbortSignal;
}

/** What changes when an engine is made anew. */
export interface Reinitialization {
  /** In place of the one before; kept once an engine has started with it. */
  readonly model?: string;
  /** Hands the conversations that live in the engine alone to the next one; false by default (L5). */
  readonly preserveSessions?: boolean;
}

/** Makes an engine ready, lends it out and lets go of it. */
export interface Lifecycle {
  initialize(waiting: Waiting): Promise<void>;
  reinitialize(change: Reinitialization, waiting: Waiting): Promise<void>;
  cleanup(waiting: Waiting): Promise<void>;
  /** The last cleanup: nothing starts from its call on. */
  close(waiting: Waiting): Promise<void>;
  /** Runs one turn, on an engine that stays until its end (L2). */
  admit<Result>(turn: Use<Result>, waiting: Waiting): Promise<Result>;
  /** Uses the engine beside whatever turn is running. */
  borrow<Result>(use: Use<Result>, waiting: Waiting): Promise<Result>;
}

/** Something that is done with an engine. */
export type Use<Result> = (engine: RunningBackend) => Promise<Result>;

/** What a lifecycle starts with. */
export interface LifecycleOptions extends EngineSlotOptions {
  readonly model?: string;
  /** Told of everything that holds a lock: it must not wait for one. */
  readonly guard: ReentryGuard;
}

/**
 * Makes the lifecycle of an engine that has not been started. Its locks are taken in one order: lifecycle, turn (L1). The
 * turn lock keeps changes and turns apart; under the lifecycle lock changes wait for each other, so that one of them at
 * most stands between two turns.
 */
export function createLifecycle({ model: firstModel, guard, ...options }: LifecycleOptions): Lifecycle {
  const slot = createEngineSlot(options);
  const lifecycleLock = createLock();
  const turnLock = createLock();
  let model = firstModel;
  let isClosed = false;

  const start = async (withModel: string | undefined, { signal }: Waiting): Promise<RunningBackend> => {
    if (isClosed) throw closedBefore('the manager');
    return slot.start(withModel, signal);
  };

  /** Cancelled, the caller leaves at once, and `change` keeps both locks until it has tidied up behind itself. */
  const changeEngine = <Result>(change: () => Promise<Result>, waiting: Waiting): Promise<Result> => {
    const underTurnLock = () => turnLock.hold(() => guard.run(change), waiting);
    return untilAborted(lifecycleLock.hold(underTurnLock, waiting), waiting.signal);
  };

  const initialize = async (waiting: Waiting): Promise<void> => {
    if (slot.ready() !== undefined) return;
    await changeEngine(async () => slot.ready() ?? start(model, waiting), waiting);
  };

  const letGo = async ({ signal }: Waiting): Promise<void> => {
    await slot.release();
    if (!signal.aborted) slot.tellFaults(); // else the next one is told
  };

  const cleanup = (waiting: Waiting): Promise<void> =>
    changeEngine(async () => {
      await slot.keepSessions(false);
      await letGo(waiting);
    }, waiting);

  return {
    initialize,
    reinitialize: (change, waiting) =>
      changeEngine(async () => {
        const next = change.model ?? model;
        await slot.keepSessions(change.preserveSessions === true);
        await letGo(waiting);
        await start(next, waiting);
        model = next;
      }, waiting),
    cleanup,
    close: (waiting) => {
      isClosed = true;
      return cleanup(waiting);
    },
    admit: async (turn, waiting) => {
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        await initialize(waiting);
        // A cleanup may have come between: what is ready under the turn lock stays ready.
        const admitted = await turnLock.hold(async () => {
          const engine = slot.ready();
          return engine && { result: await guard.run(() => turn(engine)) };
        }, waiting);
        if (admitted !== undefined) return admitted.result;
      }
      throw releasedTwice(options.backend.name);
    },
    borrow: async (use, waiting) => {
      const lend = (engine: RunningBackend) => slot.lend(engine, (lent) => guard.run(() => use(lent)));
      const engine = slot.ready();
      if (engine !== undefined) return untilAborted(lend(engine), waiting.signal);
      guard.refuse('A session call');
      // Lent under the locks, so that no cleanup comes first; waited for without them.
      const { lent } = await changeEngine(async () => {
        const lent = lend(slot.ready() ?? (await start(model, waiting)));
        lent.catch(() => undefined); // whoever waits for it may have left
        return { lent };
      }, waiting);
      return untilAborted(lent, waiting.signal);
    },
  };
}

function releasedTwice(backend: string): AgentError {
  return new AgentError(
    'BACKEND_RELEASED',
    `Expected ${backend} to be ready when the turn began; it was cleaned up twice in between. ` +
      'Try again once nobody cleans up the manager.',
  );
}
