import type { SessionRef } from '@quartermaster/agent';
import type { SessionStore } from '@quartermaster/store';
import { RuntimeError } from '../runtime-error.ts';

/** What a lease is kept with. */
export interface LeaseOptions {
  readonly store: Pick<SessionStore, 'renewTurn' | 'endTurn'>;
  readonly clock: { now(): number };
  readonly owner: string;
  readonly leaseMs: number;
}

/** A turn's hold on a session, kept up while it is wanted. */
export interface Lease {
  /** Aborted when another turn has it, or when it could not be renewed in time. */
  readonly lost: AbortSignal;
  /** It was found to be lost. */
  lose(): void;
  /** Twice is fine. */
  release(): Promise<void>;
}

/** Renews the hold three times in its length. */
export function keepLease(
  ref: SessionRef,
  turn: string,
  { store, owner, leaseMs, clock }: LeaseOptions,
): Lease {
  const lost = new AbortController();
  let endsAtMs = clock.now() + leaseMs;
  const timer = setInterval(() => void renew(), leaseMs / 3);
  timer.unref();

  function lose(): void {
    clearInterval(timer);
    lost.abort(turnLost(ref.session, turn));
  }
  async function renew(): Promise<void> {
    const nowMs = clock.now();
    try {
      if (await store.renewTurn(ref, { turn, owner, leaseMs })) endsAtMs = nowMs + leaseMs;
      else lose();
    } catch {
      if (nowMs >= endsAtMs) lose(); // until then the next renewal may reach the store
    }
  }
  return {
    lost: lost.signal,
    lose,
    async release() {
      clearInterval(timer);
      if (!lost.signal.aborted) await store.endTurn(ref, turn).catch(() => undefined); // its lease ends by itself
    },
  };
}

/** Whether the store refused a write, since another turn has the session. */
export function isTurnLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'STORE_TURN_LOST';
}

/** That a turn's writes count no longer. */
export function turnLost(session: string, turn: string, cause?: unknown): RuntimeError {
  return new RuntimeError(
    'RUNTIME_TURN_LOST',
    `Turn ${turn} no longer holds session ${session}: another process took it over. Nothing more was written.`,
    { cause },
  );
}
