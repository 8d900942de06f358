import type { LedgerAmount, LedgerStore, RequestRecord } from '@quartermaster/store';
import { nameOf } from '../errors.ts';
import type { Clock, Log } from '../options.ts';
import type { SumName } from './sums.ts';

/** Writes records and sums behind the requests. */
export interface LedgerWriter {
  /** Queues a record; one that finds the queue full is dropped and counted (FA5). */
  write(record: RequestRecord): void;
  add(tenant: string, name: SumName, amount: number): void;
  /** Writes what waits. What could not be written stays. */
  flush(): Promise<void>;
  forgetBefore(beforeMs: number): Promise<void>;
  /** Records dropped so far. */
  drops(): number;
}

/** FA5. */
const keptRecords = { rows: 1_000_000, bytes: 2 * 1024 ** 3 } as const;
const dayMs = 86_400_000;

/** Keeps what is to be written in memory until `flush`, at most `maxQueued` records; without a store it drops them. */
export function createLedgerWriter(options: {
  readonly store: LedgerStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly maxQueued: number;
}): LedgerWriter {
  const { store, clock, log, maxQueued } = options;
  let records: RequestRecord[] = [];
  let amounts = new Map<string, LedgerAmount>();
  let drops = 0;

  function addAmount(added: LedgerAmount): void {
    const key = JSON.stringify([added.tenant, added.day, added.name]);
    amounts.set(key, { ...added, amount: (amounts.get(key)?.amount ?? 0) + added.amount });
  }

  /** In front of what has come meanwhile; the newest give way. */
  function takeBack(failed: readonly RequestRecord[], sums: ReadonlyMap<string, LedgerAmount>): void {
    const all = [...failed, ...records];
    drops += Math.max(0, all.length - maxQueued);
    records = all.slice(0, maxQueued);
    for (const amount of sums.values()) addAmount(amount);
  }

  return {
    write(record) {
      if (store === undefined) return;
      if (records.length >= maxQueued) drops += 1;
      else records.push(record);
    },
    add(tenant, name, amount) {
      if (store === undefined) return;
      addAmount({ tenant, day: Math.floor(clock.now() / dayMs), name, amount });
    },
    async flush() {
      if (store === undefined || (records.length === 0 && amounts.size === 0)) return;
      const [taken, sums] = [records, amounts];
      records = [];
      amounts = new Map();
      try {
        await store.append(taken, [...sums.values()]);
      } catch (error) {
        takeBack(taken, sums);
        const facts = { records: taken.length, error: nameOf(error) };
        log.warn(facts, 'the ledger could not be written; it will be tried again');
        return;
      }
      await store.trim(keptRecords);
    },
    async forgetBefore(beforeMs) {
      await store?.deleteBefore(beforeMs);
    },
    drops: () => drops,
  };
}
