import type { ThreadStore } from '@quartermaster/store';

/**
 * Whether a tenant may have threads with a record: where not, requests need not be read to find one (O7).
 * Errs toward yes: unknown is yes, and a record of another process is seen at the next refresh.
 */
export interface RecordPresence {
  load(tenant: string): Promise<void>;
  mayHaveRecords(tenant: string): boolean;
  /** A record is about to be written. */
  note(tenant: string): void;
  /** Asks the store again: records come from other processes, and leave with age. */
  refresh(): Promise<void>;
}

/** Without a store no tenant has any. */
export function createRecordPresence(store: Pick<ThreadStore, 'hasAny'> | undefined): RecordPresence {
  const known = new Map<string, boolean>();
  let notes = 0;

  async function load(tenant: string): Promise<void> {
    if (store === undefined) return;
    const notesBefore = notes;
    const hasAny = await store.hasAny(tenant).catch(() => true);
    // A "no" may be older than a record that was announced meanwhile.
    if (hasAny || notes === notesBefore) known.set(tenant, hasAny);
  }

  return {
    load,
    mayHaveRecords: (tenant) => store !== undefined && (known.get(tenant) ?? true),
    note(tenant) {
      notes += 1;
      known.set(tenant, true);
    },
    async refresh() {
      for (const tenant of known.keys()) await load(tenant);
    },
  };
}
