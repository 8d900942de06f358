import type { Claim, Store, VerdictRecord } from '@quartermaster/store';
import type { Mood } from './scenario.ts';

/** The way from one gateway to a store that it shares; what goes wrong goes wrong on this way. */
export interface TroubledStore {
  readonly store: Store;
  feel(mood: Mood): void;
  /** Nothing comes through any more, as after the death of the process. */
  cut(): void;
}

/** A run's part of the shared store. */
export interface RunView {
  /** What the gateway's local tenant is called there. */
  readonly tenant: string;
  /** The verdicts that every gateway of the run finds; they belong to no tenant, so what is written stays in its memory. */
  readonly verdicts: readonly VerdictRecord[];
}

interface Owned {
  readonly tenant: string;
}

/**
 * A run's view of `shared`, so that runs on one file do not see each other, with a mood of its own. `late`: a claim
 * misses its deadline and inserts nothing. `unanswered`: its row gets in and the confirmation does not come back.
 */
export function troubledStore(shared: Store, { tenant, verdicts }: RunView): TroubledStore {
  let mood: Mood | 'dead' = 'well';
  const isSilent = (): boolean => mood === 'failing' || mood === 'dead';
  const whole = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    if (isSilent()) throw new Error('the store does not answer');
    return ask();
  };
  const read = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    if (mood === 'unreadable') throw new Error('the record does not come');
    return whole(ask);
  };
  const here = <Row extends Owned>(row: Row): Row => ({ ...row, tenant });
  const readAs = <Row extends Owned>(local: string, ask: () => Promise<readonly Row[]>): Promise<Row[]> =>
    read(async () => (await ask()).map((row) => ({ ...row, tenant: local })));
  const { threads, openings, searchTurns, plans, history, turnOffs, optOuts, ledger } = shared;

  const store: Store = {
    ...shared,
    threads: {
      ...threads,
      async claim(record, options): Promise<Claim> {
        const unconfirmed: Claim = { type: 'unconfirmed', attempt: record.attempt };
        if (isSilent()) return unconfirmed;
        const deadlineMs = mood === 'late' ? 0 : options.deadlineMs;
        const claim = await threads.claim(here(record), { deadlineMs });
        if (mood === 'unanswered' || claim.type === 'unconfirmed') return unconfirmed;
        return { ...claim, record: { ...claim.record, tenant: record.tenant } };
      },
      settle: (record) => whole(() => threads.settle(here(record))),
      replace: (record) => whole(() => threads.replace(here(record))),
      async read(key) {
        const found = async () => [(await threads.read(here(key))) ?? []].flat();
        return (await readAs(key.tenant, found))[0];
      },
      touch: (keys, nowMs) => whole(() => threads.touch(keys.map(here), nowMs)),
    },
    openings: {
      ...openings,
      find: (_local, fingerprint) => read(() => openings.find(tenant, fingerprint)),
      save: (record) => whole(() => openings.save(here(record))),
      replace: (record) => whole(() => openings.replace(here(record))),
    },
    searchTurns: {
      ...searchTurns,
      save: (records) => whole(() => searchTurns.save(records.map(here))),
      find: (local, anchors) => readAs(local, () => searchTurns.find(tenant, anchors)),
      touch: (keys, nowMs) => whole(() => searchTurns.touch(keys.map(here), nowMs)),
    },
    plans: {
      ...plans,
      load: (local) => readAs(local, () => plans.load(tenant)),
      save: (plan) => whole(() => plans.save(here(plan))),
    },
    history: {
      ...history,
      load: (local) => readAs(local, () => history.load(tenant)),
      save: (rows) => whole(() => history.save(rows.map(here))),
      trim: (_local, kept) => whole(() => history.trim(tenant, kept)),
    },
    verdicts: {
      load: () => whole(async () => verdicts),
      save: () => whole(async () => {}),
      delete: () => whole(async () => {}),
    },
    turnOffs: {
      ...turnOffs,
      load: (local) => readAs(local, () => turnOffs.load(tenant)),
      save: (record) => whole(() => turnOffs.save(here(record))),
      trim: (_local, kept) => whole(() => turnOffs.trim(tenant, kept)),
    },
    optOuts: {
      ...optOuts,
      load: (local) => readAs(local, () => optOuts.load(tenant)),
      async find(local, session) {
        const found = async () => [(await optOuts.find(tenant, session)) ?? []].flat();
        return (await readAs(local, found))[0];
      },
      save: (records) => whole(() => optOuts.save(records.map(here))),
      trimPending: (_local, kept) => whole(() => optOuts.trimPending(tenant, kept)),
    },
    ledger: {
      ...ledger,
      append: (records, amounts) => whole(() => ledger.append(records.map(here), amounts.map(here))),
      records: (local, options) => readAs(local, () => ledger.records(tenant, options)),
      sums: (local, options) => readAs(local, () => ledger.sums(tenant, options)),
      saveCacheEntries: (entries) => whole(() => ledger.saveCacheEntries(entries.map(here))),
      cacheEntries: (local, nowMs) => readAs(local, () => ledger.cacheEntries(tenant, nowMs)),
    },
    close: async () => {},
  };
  return {
    store,
    feel(next) {
      if (mood !== 'dead') mood = next;
    },
    cut() {
      mood = 'dead';
    },
  };
}
