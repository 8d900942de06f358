import type { Store } from '@quartermaster/store';
import type { History } from './history.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Clock, Log } from './options.ts';
import type { Plans } from './plans.ts';
import type { TurnOffs } from './refusal/turn-offs.ts';
import type { OptOuts } from './signals/opt-outs.ts';
import type { Threads } from './threads/threads.ts';

/** What the gateway does beside its requests: writes behind, and forgets what is too old. */
export interface Upkeep {
  /** Writes once more and stops. Twice is fine. */
  close(): Promise<void>;
}

/** HI3. */
const flushEveryMs = 5_000;
const dayMs = 86_400_000;
const forgetEveryMs = dayMs / 24;

export function createUpkeep(options: {
  readonly store: Store | undefined;
  readonly history: History;
  readonly ledger: Ledger;
  readonly plans: Plans;
  readonly turnOffs: TurnOffs;
  readonly optOuts: OptOuts;
  readonly threads: Threads;
  readonly clock: Clock;
  readonly log: Log;
  readonly retentionDays: number;
}): Upkeep {
  const { store, history, ledger, plans, turnOffs, optOuts, threads, clock, log } = options;
  let underWay = Promise.resolve();

  /** One piece of work after the other; what fails is logged, and tried again at its next turn. */
  function queue(work: () => Promise<void>): Promise<void> {
    underWay = underWay.then(work).catch((error: unknown) => {
      log.warn(
        { error: error instanceof Error ? error.message : typeof error },
        'upkeep failed and will be tried again',
      );
    });
    return underWay;
  }

  async function flush(): Promise<void> {
    await history.flush();
    await plans.flush();
    await turnOffs.flush();
    await optOuts.flush();
    await threads.flush();
    await ledger.flush();
  }

  async function forget(): Promise<void> {
    const beforeMs = clock.now() - options.retentionDays * dayMs;
    await history.forgetUnusedSince(beforeMs);
    await store?.threads.deleteUnusedSince(beforeMs);
    await ledger.forgetBefore(beforeMs);
    await store?.openings.deleteUnusedSince(beforeMs);
    await store?.plans.deleteMadeBefore(beforeMs);
    await turnOffs.forgetStartedBefore(beforeMs);
    await optOuts.forgetUnusedSince(beforeMs);
  }

  const timers = [
    setInterval(() => void queue(flush), flushEveryMs),
    setInterval(() => void queue(forget), forgetEveryMs),
  ];
  for (const timer of timers) timer.unref();
  return {
    close() {
      for (const timer of timers) clearInterval(timer);
      return queue(async () => {
        await flush();
        await history.flushActivity();
      });
    },
  };
}
