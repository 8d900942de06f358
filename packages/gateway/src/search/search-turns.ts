import type { SearchTurnRecord, SearchTurnStore, ThreadKey } from '@quartermaster/store';
import type { Counters } from '../counters.ts';
import { nameOf } from '../errors.ts';
import type { Clock, Log } from '../options.ts';
import { threadId } from '../threads/thread-id.ts';
import { isShared } from './anchors.ts';
import type { AnswerTurns } from './record.ts';
import { parseTurn, printTurn, type SearchTurn } from './turn.ts';

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

interface Known {
  readonly turn: SearchTurn | undefined;
  /** The thread that it belongs to: a use by a fork of that one is a use of it. */
  readonly thread: ThreadKey;
  /** When the store was first found to have none; absent where this gateway knows by itself. */
  readonly missedAtMs?: number;
  /** Whether the store need not be asked again. */
  readonly isSure: boolean;
}

/** Anchors in memory, most of which have no turn; what falls out is read again. */
const maxKnown = 20_000;
/** What the store lacks another gateway may still be trying to write, every few seconds. */
const lateWriteMs = 15_000;
/** Of one tenant (FA5, law 8). */
const maxUnwritten = 4_096;

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
  const known = new Map<string, Known>();
  /** By tenant, the oldest first. */
  const unwritten = new Map<string, Set<SearchTurnRecord>>();
  const usedSinceFlush = new Map<string, ThreadKey>();

  function learn(id: string, entry: Known): void {
    known.delete(id);
    known.set(id, entry);
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  }

  async function read(tenant: string, anchors: readonly string[]): Promise<void> {
    const records = (await store?.find(tenant, anchors)) ?? [];
    const found = new Map(records.map((record) => [record.anchor, record]));
    for (const anchor of anchors) {
      const record = found.get(anchor);
      const id = idOf(tenant, anchor);
      if (record === undefined) {
        miss(id, tenant);
        continue;
      }
      const { session, agent } = record;
      learn(id, { turn: parseTurn(record.turn), thread: { tenant, session, agent }, isSure: true });
    }
  }

  function miss(id: string, tenant: string): void {
    const before = known.get(id);
    // What is not written yet is not gone.
    if (before?.turn !== undefined) return;
    const missedAtMs = before?.missedAtMs ?? clock.now();
    const isSure = clock.now() - missedAtMs >= lateWriteMs;
    learn(id, { turn: undefined, thread: { tenant, session: '', agent: '' }, missedAtMs, isSure });
  }

  async function write(records: readonly SearchTurnRecord[]): Promise<void> {
    await store?.save(records);
    await adoptFirst(records);
    for (const record of records) unwritten.get(record.tenant)?.delete(record);
  }

  function mustWrite(record: SearchTurnRecord): void {
    const ofTenant = unwritten.get(record.tenant) ?? new Set();
    unwritten.set(record.tenant, ofTenant.add(record));
    const [oldest] = ofTenant;
    if (ofTenant.size > maxUnwritten && oldest !== undefined) ofTenant.delete(oldest);
  }

  /** Of several answers that can't be told apart the first stands, for every gateway. */
  async function adoptFirst(records: readonly SearchTurnRecord[]): Promise<void> {
    const byTenant = Map.groupBy(
      records.filter(({ anchor }) => isShared(anchor)),
      ({ tenant }) => tenant,
    );
    for (const [tenant, shared] of byTenant)
      await read(
        tenant,
        shared.map(({ anchor }) => anchor),
      );
  }

  return {
    async find(tenant, anchors) {
      const unknown = anchors.filter((anchor) => known.get(idOf(tenant, anchor))?.isSure !== true);
      if (unknown.length > 0 && !(await isDoneInTime(read(tenant, unknown), waitMs))) return undefined;
      const found = new Map<string, SearchTurn>();
      for (const anchor of anchors) {
        const entry = known.get(idOf(tenant, anchor));
        if (entry?.turn === undefined) continue;
        found.set(anchor, entry.turn);
        usedSinceFlush.set(threadId(entry.thread), entry.thread);
      }
      return found;
    },
    async keep(thread, turns) {
      const records: SearchTurnRecord[] = [];
      for (const [anchor, turn] of turns) {
        const id = idOf(thread.tenant, anchor);
        if (turn === undefined && known.get(id)?.turn !== undefined) continue;
        const printed = turn && printTurn(turn);
        // As the store has it: in memory of its own, and not a view of a request's body.
        learn(id, { turn: printed === undefined ? undefined : parseTurn(printed), thread, isSure: true });
        if (printed === undefined) continue;
        const record = { ...thread, anchor, turn: printed, usedAtMs: clock.now() };
        records.push(record);
        mustWrite(record);
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
        for (const ofTenant of unwritten.values()) if (ofTenant.size > 0) await write([...ofTenant]);
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

function idOf(tenant: string, anchor: string): string {
  return JSON.stringify([tenant, anchor]);
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
