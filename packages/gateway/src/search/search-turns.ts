import type { SearchTurnRecord, SearchTurnStore, ThreadKey } from '@quartermaster/store';
import type { Counters } from '../counters.ts';
import { nameOf } from '../errors.ts';
import type { Clock, Log } from '../options.ts';
import { threadId } from '../threads/thread-id.ts';
import { isShared } from './anchors.ts';
import { createKnownTurns } from './known-turns.ts';
import type { AnswerTurns } from './record.ts';
import { parseTurn, printTurn, type SearchTurn } from './turn.ts';
import { createUnwritten } from './unwritten.ts';

/** What the tool searches of all threads came to, in the store and in memory (Q2, Q3, O10). */
export interface SearchTurns {
  /** The turns with these anchors, by anchor; `undefined` where the store could not tell in time. */
  find(tenant: string, anchors: readonly string[]): Promise<ReadonlyMap<string, SearchTurn> | undefined>;
  /**
   * Makes an answer's turns durable, and resolves when they are. Where the store does not confirm in time the answer goes
   * on, this process has them, and the writing is tried again. Never rejects.
   */
  keep(thread: ThreadKey, turns: AnswerTurns): Promise<void>;
  /** The thread is in use: what belongs to it lives on. */
  use(thread: ThreadKey): void;
  /** Writes what is still to be written, and renews the life of the turns of threads used lately. */
  flush(): Promise<void>;
}

/** Without a store search turns live as long as the process, up to a bound. */
export function createSearchTurns(options: {
  readonly store: SearchTurnStore | undefined;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Log;
  /** How long a request waits for the store, and an answer's end. */
  readonly waitMs: number;
}): SearchTurns {
  const { store, clock, counters, log, waitMs } = options;
  const known = createKnownTurns(clock);
  const unwritten = createUnwritten();
  const usedSinceFlush = new Map<string, ThreadKey>();

  async function read(tenant: string, anchors: readonly string[]): Promise<void> {
    const records = (await store?.find(tenant, anchors)) ?? [];
    const found = new Map(records.map((record) => [record.anchor, record]));
    for (const anchor of anchors) {
      const record = found.get(anchor);
      if (record === undefined) {
        known.miss(tenant, anchor);
        continue;
      }
      const { session, agent } = record;
      known.learn({ tenant, session, agent }, anchor, parseTurn(record.turn));
    }
  }

  async function write(records: readonly SearchTurnRecord[]): Promise<void> {
    await store?.save(records);
    await adoptFirst(records);
    for (const record of records) unwritten.delete(record);
  }

  /** Of several answers that can't be told apart the first stands, for every gateway. */
  async function adoptFirst(records: readonly SearchTurnRecord[]): Promise<void> {
    const byTenant = Map.groupBy(
      records.filter(({ anchor }) => isShared(anchor)),
      ({ tenant }) => tenant,
    );
    for (const [tenant, shared] of byTenant) {
      const anchors = shared.map(({ anchor }) => anchor);
      await read(tenant, anchors);
    }
  }

  return {
    async find(tenant, anchors) {
      const unknown = anchors.filter((anchor) => known.get(tenant, anchor)?.isSure !== true);
      if (unknown.length > 0 && !(await isDoneInTime(read(tenant, unknown), waitMs))) return undefined;
      const found = new Map<string, SearchTurn>();
      for (const anchor of anchors) {
        const entry = known.get(tenant, anchor);
        if (entry?.turn === undefined) continue;
        found.set(anchor, entry.turn);
        usedSinceFlush.set(threadId(entry.thread), entry.thread);
      }
      return found;
    },
    async keep(thread, turns) {
      const records: SearchTurnRecord[] = [];
      for (const [anchor, turn] of turns) {
        if (turn === undefined && known.get(thread.tenant, anchor)?.turn !== undefined) continue;
        const printed = turn && printTurn(turn);
        // As the store has it: in memory of its own, and not a view of a request's body.
        known.learn(thread, anchor, printed === undefined ? undefined : parseTurn(printed));
        if (printed === undefined) continue;
        const record = { ...thread, anchor, turn: printed, usedAtMs: clock.now() };
        records.push(record);
        unwritten.add(record);
      }
      if (records.length === 0 || (await isDoneInTime(write(records), waitMs))) return;
      counters.unwrittenTurns += 1;
      log.warn(
        { turns: records.length },
        'the searches of an answer are not durable yet; their writing is tried again',
      );
    },
    use: (thread) => void usedSinceFlush.set(threadId(thread), thread),
    async flush() {
      try {
        for (const records of unwritten.batches()) await write(records);
        const used = [...usedSinceFlush];
        if (used.length === 0) return;
        await store?.touch(
          used.map(([, thread]) => thread),
          clock.now(),
        );
        for (const [id] of used) usedSinceFlush.delete(id);
      } catch (error) {
        log.warn({ error: nameOf(error) }, 'search turns could not be written yet');
      }
    },
  };
}

/** Whether the work is done within the time; a failure is none. */
async function isDoneInTime(work: Promise<void>, waitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMs);
  });
  const done = work.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
