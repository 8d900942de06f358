import type { BackendStart, RunningBackend, WorkflowBackend } from './backend.ts';
import { notClosed } from './turn-errors.ts';

/** Holds the one engine of a manager. It knows no locks: `Lifecycle` says who may change it, and when. */
export interface EngineSlot {
  /** `undefined` before a start, after a failed one, and from the beginning of a release on. */
  ready(): RunningBackend | undefined;
  /** Publishes an engine that is whole, and still wanted by then; lets go of any other (L3). */
  start(model: string | undefined, signal: AbortSignal): Promise<RunningBackend>;
  /** Takes what only the engine holds, for the next start (L5), or forgets what was taken before. */
  keepSessions(isWanted: boolean): Promise<void>;
  /** Waits for whoever uses the engine, then for its close; both once. What fails is told by `tellFaults`. */
  release(): Promise<void>;
  /** Throws what closing left behind, once, as one error (L4). */
  tellFaults(): void;
  /** Keeps `engine` from being closed before `use` has ended (R5). */
  lend<Result>(engine: RunningBackend, use: (engine: RunningBackend) => Promise<Result>): Promise<Result>;
}

/** What a slot starts, and what it gives to each start. */
export interface EngineSlotOptions extends Pick<BackendStart, 'app' | 'defaultUser' | 'scope'> {
  readonly backend: WorkflowBackend;
}

/** Makes a slot with no engine in it. */
export function createEngineSlot(options: EngineSlotOptions): EngineSlot {
  const { backend, app, defaultUser, scope } = options;
  const borrowers = new Set<Promise<unknown>>();
  const faults: unknown[] = [];
  let engine: RunningBackend | undefined;
  let keptSessions: unknown;
  const close = async (one: RunningBackend | undefined): Promise<void> => {
    try {
      await one?.close();
    } catch (error) {
      faults.push(error);
    }
  };
  return {
    ready: () => engine,
    start: async (model, signal) => {
      signal.throwIfAborted();
      const built = await backend.start({
        app,
        defaultUser,
        scope,
        ...(model === undefined ? {} : { model }),
        ...(keptSessions === undefined ? {} : { keptSessions }),
        signal,
      });
      if (signal.aborted) {
        await close(built);
        throw signal.reason;
      }
      keptSessions = undefined;
      engine = built;
      return built;
    },
    keepSessions: async (isWanted) => {
      // An engine that failed to start took nothing: what the one before it left is still to be handed over.
      keptSessions = isWanted ? ((await engine?.keepSessions?.()) ?? keptSessions) : undefined;
    },
    release: async () => {
      const released = engine;
      engine = undefined;
      await Promise.allSettled(borrowers);
      await close(released);
    },
    tellFaults: () => {
      if (faults.length > 0) throw notClosed(backend.name, faults.splice(0));
    },
    lend: async (lent, use) => {
      const using = use(lent);
      borrowers.add(using);
      try {
        return await using;
      } finally {
        borrowers.delete(using);
      }
    },
  };
}
