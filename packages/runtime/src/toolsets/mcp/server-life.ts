import { backoffMs } from './backoff.ts';
import type { McpConnection } from './connection.ts';
import type { McpTiming } from './timing.ts';

/** `degraded`: it answers, but its list of tools could not be read again, so that the former one holds. */
export type McpState = 'stopped' | 'starting' | 'ready' | 'degraded' | 'restarting' | 'failed';

/** When a server that ended is started again. */
export interface RestartPolicy {
  /** `on-failure`: not after it ended by itself without an error. */
  readonly when: 'never' | 'on-failure' | 'always';
  /** How often in a row; a server that was up for a minute begins anew. */
  readonly max: number;
}

/** How a server came to its end. */
export interface ServerEnd {
  /** For people. */
  readonly problem: string;
  readonly type: 'ended' | 'failed' | 'hopeless';
}

/** What a life is made of. */
export interface ServerLifeOptions {
  readonly restart: RestartPolicy;
  readonly timing: McpTiming;
  /** Connects and reads what there is. Rejects with what `explain` then puts into words. */
  readonly open: (signal: AbortSignal) => Promise<McpConnection>;
  /** How a connection ended, or why there was none. `hopeless`: it would be the same again. */
  readonly explain: (cause?: unknown) => ServerEnd;
}

/** How it is with a server. */
export interface LifeStatus {
  readonly state: McpState;
  readonly restarts: number;
  /** Of the protocol; once it was connected to. */
  readonly protocolVersion?: string;
  /** What ended it last, or hindered its list. */
  readonly lastProblem?: string;
}

/** One server, from its start to its end. */
export interface ServerLife {
  /** Begins; does nothing while it runs. A server that was given up is tried anew. */
  start(): void;
  /** Resolves when it is up, or did not come up the first time. */
  whenSettled(): Promise<void>;
  status(): LifeStatus;
  /** While it is ready or degraded. */
  connection(): McpConnection | undefined;
  /** Says that its list could, or could not, be read again. */
  setDegraded(problem: string | undefined): void;
  /** Ends it for good. */
  close(): Promise<void>;
}

/** A server that was up for so long has shown that it can be, in ms. */
const steadyMs = 60_000;

/** A server that was never started. */
export function createServerLife({ restart, timing, open, explain }: ServerLifeOptions): ServerLife {
  const closing = new AbortController();
  let state: McpState = 'stopped';
  let problem: string | undefined;
  let connection: McpConnection | undefined;
  let protocolVersion: string | undefined;
  let restarts = 0;
  let settled = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;

  async function live(): Promise<void> {
    state = 'starting';
    state = await untilGivenUp();
  }

  async function untilGivenUp(): Promise<'stopped' | 'failed'> {
    for (let inRow = 0; ;) {
      const { cause, upMs } = await liveOnce();
      settled.resolve();
      if (closing.signal.aborted) return 'stopped';
      const end = explain(cause);
      problem = end.problem;
      inRow = upMs >= steadyMs ? 1 : inRow + 1;
      if (!mayRestart(end, inRow)) return end.type === 'ended' ? 'stopped' : 'failed';
      state = 'restarting';
      await timing.sleep(backoffMs(inRow, timing.random), closing).catch(() => undefined);
      if (closing.signal.aborted) return 'stopped';
      restarts += 1;
    }
  }

  function mayRestart({ type }: ServerEnd, inRow: number): boolean {
    if (type === 'hopeless' || inRow > restart.max) return false;
    return restart.when === 'always' || (restart.when === 'on-failure' && type === 'failed');
  }

  /** Without `cause` it was up, and ended after so long. */
  async function liveOnce(): Promise<{ readonly cause?: unknown; readonly upMs: number }> {
    try {
      connection = await open(closing.signal);
    } catch (cause) {
      return { cause, upMs: 0 };
    }
    const sinceMs = timing.clock.now();
    ({ protocolVersion } = connection);
    state = 'ready';
    settled.resolve();
    if (closing.signal.aborted) await connection.close();
    await connection.ended;
    connection = undefined;
    return { upMs: timing.clock.now() - sinceMs };
  }

  return {
    start() {
      if (closing.signal.aborted || state === 'starting' || state === 'restarting' || connection) return;
      settled = Promise.withResolvers();
      running = live();
    },
    whenSettled: () => settled.promise,
    status: () => ({
      state,
      restarts,
      ...(protocolVersion !== undefined && { protocolVersion }),
      ...(problem !== undefined && { lastProblem: problem }),
    }),
    connection: () => connection,
    setDegraded(why) {
      if (connection === undefined) return;
      state = why === undefined ? 'ready' : 'degraded';
      problem = why ?? problem;
    },
    async close() {
      closing.abort(new Error('The server was closed.'));
      await connection?.close();
      await running;
    },
  };
}
