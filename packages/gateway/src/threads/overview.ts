import type { ThreadStore } from '@quartermaster/store';
import type { Clock } from '../options.ts';
import { type Decision, parseDecision, type Removal } from './decision.ts';
import type { KnownThread, Threads } from './threads.ts';

/** What people are shown of threads and their decisions. */
export interface ThreadOverview {
  /** The threads of a session, the first decided first. Rejects where the store can't be read. */
  ofSession(tenant: string, session: string): Promise<readonly ThreadReport[]>;
  /** What ending the tenant's decisions now would cost (O7). */
  costOfEnding(tenant: string): EndingCost;
}

/** One thread, as `/api/v1/threads` shows it. */
export interface ThreadReport {
  readonly agent: string;
  readonly decided_at: string;
  readonly decision: 'nothing' | 'remove' | 'defer' | 'unknown';
  /** Why nothing is deferred. */
  readonly reason?: string;
  /** Deferred units, and removed tools of the first request. */
  readonly deferred: readonly string[];
  readonly removed: readonly string[];
  /** Why each tool of the first request is deferred, removed, or neither. */
  readonly reasons: Readonly<Record<string, string>>;
}

/** As `/api/v1/threads/end` answers it. */
export interface EndingCost {
  /** Threads seen since the start whose requests were edited, and now may be otherwise. */
  readonly threads: number;
  /** Those that stay as they are: their model binds thinking to the prefix, and would refuse another. */
  readonly spared: number;
  /** Those of `threads` that were active within the life of a cache, and so pay. */
  readonly active: number;
  /** What they write to the cache anew: an estimate, their last requests' bytes / 4. */
  readonly estimated_tokens: number;
}

/** The longest life of a prompt cache. */
const cacheLivesMs = 3_600_000;
const bytesPerToken = 4;

/** What is in memory is in force, whatever the store still says. */
export function createThreadOverview({
  threads,
  store,
  clock,
}: {
  readonly threads: Threads;
  readonly store: ThreadStore | undefined;
  readonly clock: Clock;
}): ThreadOverview {
  return {
    async ofSession(tenant, session) {
      const rows = (await store?.listSession(tenant, session)) ?? [];
      const known = threads.known(tenant).filter(({ key }) => key.session === session);
      // What is in force is in memory; the store also knows threads that were not seen since the start.
      const byAgent = new Map<string, ThreadReport>([
        ...rows.map((row) => [row.agent, report({ key: row, ...row }, parseDecision(row.decision))] as const),
        ...known.map((thread) => [thread.key.agent, report(thread, thread.decision)] as const),
      ]);
      return [...byAgent.values()].toSorted((one, other) => one.decided_at.localeCompare(other.decided_at));
    },
    costOfEnding(tenant) {
      const edited = threads.known(tenant).filter(({ decision }) => decision.type !== 'nothing');
      const ending = edited.filter(({ hasBoundThinking }) => !hasBoundThinking);
      const active = ending.filter(({ usedAtMs }) => clock.now() - usedAtMs < cacheLivesMs);
      const bytes = active.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
      return {
        threads: ending.length,
        spared: edited.length - ending.length,
        active: active.length,
        estimated_tokens: Math.round(bytes / bytesPerToken),
      };
    },
  };
}

function report(
  { key, decidedAtMs }: Pick<KnownThread, 'decidedAtMs'> & { readonly key: { readonly agent: string } },
  decision: Decision | undefined,
): ThreadReport {
  const thread = { agent: key.agent, decided_at: new Date(decidedAtMs).toISOString() };
  const untouched = { deferred: [], removed: [], reasons: {} };
  // A later version's record can't be read here, but is there.
  if (decision === undefined) return { ...thread, decision: 'unknown', ...untouched };
  switch (decision.type) {
    case 'nothing':
      return { ...thread, decision: 'nothing', reason: decision.reason, ...untouched };
    case 'remove': {
      const { removal, reason } = decision;
      return { ...thread, decision: 'remove', reason, ...untouched, ...describeRemoval(removal) };
    }
    case 'defer': {
      const { units, reasons, removal } = decision;
      const removed = removal === undefined ? untouched : describeRemoval(removal);
      return {
        ...thread,
        decision: 'defer',
        deferred: units,
        removed: removed.removed,
        reasons: { ...reasons, ...removed.reasons },
      };
    }
  }
}

function describeRemoval({ tools, kept }: Removal): Pick<ThreadReport, 'removed' | 'reasons'> {
  return {
    removed: tools,
    reasons: Object.fromEntries([
      ...Object.entries(kept).map(([tool, reason]) => [tool, `not removed: ${reason}`] as const),
      ...tools.map((tool) => [tool, 'removed'] as const),
    ]),
  };
}
