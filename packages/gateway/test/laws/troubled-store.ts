import type { Claim, Store } from '@quartermaster/store';
import type { Mood } from './scenario.ts';

/** The way from one gateway to a store that it shares; what goes wrong goes wrong on this way. */
export interface TroubledStore {
  readonly store: Store;
  feel(mood: Mood): void;
  /** Nothing comes through any more, as after the death of the process. */
  cut(): void;
}

/**
 * Another tenant's view of `shared` (the gateway's local one is `tenant` there), so that runs on one file do not see
 * each other, with a mood of its own. `late`: a claim misses its deadline and inserts nothing. `unanswered`: its row
 * gets in and the confirmation does not come back.
 */
export function troubledStore(shared: Store, tenant: string): TroubledStore {
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
  const here = <Named extends { readonly tenant: string }>(named: Named): Named => ({ ...named, tenant });
  const there = <Named extends { readonly tenant: string }>(named: Named, local: string): Named => ({
    ...named,
    tenant: local,
  });
  const { threads, openings, plans, history, verdicts } = shared;

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
        return { ...claim, record: there(claim.record, record.tenant) };
      },
      settle: (record) => whole(() => threads.settle(here(record))),
      read: (key) =>
        read(async () => {
          const record = await threads.read(here(key));
          return record === undefined ? undefined : there(record, key.tenant);
        }),
      touch: (keys, nowMs) => whole(() => threads.touch(keys.map(here), nowMs)),
    },
    openings: {
      ...openings,
      find: (_tenant, fingerprint) => read(() => openings.find(tenant, fingerprint)),
      save: (record) => whole(() => openings.save(here(record))),
    },
    plans: {
      ...plans,
      load: (local) => whole(async () => (await plans.load(tenant)).map((plan) => there(plan, local))),
      save: (plan) => whole(() => plans.save(here(plan))),
    },
    history: {
      ...history,
      load: (local) => whole(async () => (await history.load(tenant)).map((row) => there(row, local))),
      save: (rows) => whole(() => history.save(rows.map(here))),
      trim: (_local, kept) => whole(() => history.trim(tenant, kept)),
    },
    verdicts: { ...verdicts, load: () => whole(() => verdicts.load()) },
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
