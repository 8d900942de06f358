import type { Store } from '@quartermaster/store';
import type { History } from './history.ts';
import type { Accounts } from './account/accounts.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Clock, Log } from './options.ts';
import type { Plans } from './plans.ts';
import type { TurnOffs } from './refusal/turn-offs.ts';
import type { SearchTurns } from './search/search-turns.ts';
import type { OptOuts } from './signals/opt-outs.ts';
import type { RecordPresence } from './threads/presence.ts';
import type { Threads } from './threads/threads.ts';

/** What the gateway does beside its requests: writes behind, reads what others wrote, and forgets what is too old. */
export interface Upkeep {
  /** Writes once more and stops. Twice is fine. */
  close(): Promise<void>;
}

/** HI3. */
const flushEveryMs = 5_000;
/** So soon does a gateway on the same store follow a change of settings. */
const refreshEveryMs = 5_000;
const dayMs = 86_400_000;
const forgetEveryMs = dayMs / 24;

/** Starts its timers at once; `close` ends them. */
export function createUpkeep(options: {
  readonly store: Store | undefined;
  readonly history: History;
  readonly ledger: Ledger;
  readonly plans: Plans;
  readonly turnOffs: TurnOffs;
  readonly optOuts: OptOuts;
  readonly threads: Threads;
  readonly searchTurns: SearchTurns;
  readonly accounts: Accounts;
  readonly presence: RecordPresence;
  readonly clock: Clock;
  readonly log: Log;
  readonly retentionDays: number;
}): Upkeep {
  const { store, history, ledger, plans, turnOffs, optOuts, threads, searchTurns } = options;
  const { accounts, presence, clock, log } = options;
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
    await searchTurns.flush();
    await ledger.flush();
  }

  async function refresh(): Promise<void> {
    await accounts.refresh();
    await presence.refresh();
  }

  async function forget(): Promise<void> {
    const beforeMs = clock.now() - options.retentionDays * dayMs;
    await history.forgetUnusedSince(beforeMs);
    await store?.threads.deleteUnusedSince(beforeMs);
    await store?.searchTurns.deleteUnusedSince(beforeMs);
    await ledger.forgetBefore(beforeMs);
    await store?.openings.deleteUnusedSince(beforeMs);
    await store?.plans.deleteMadeBefore(beforeMs);
    await turnOffs.forgetStartedBefore(beforeMs);
    await optOuts.forgetUnusedSince(beforeMs);
  }

  const timers = [
    setInterval(() => void queue(flush), flushEveryMs),
    setInterval(() => void queue(refresh), refreshEveryMs),
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
