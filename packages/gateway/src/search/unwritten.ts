import type { SearchTurnRecord } from '@quartermaster/store';
import { dropOldest } from '../drop-oldest.ts';

/** The records that no store has confirmed yet. */
export interface Unwritten {
  add(record: SearchTurnRecord): void;
  delete(record: SearchTurnRecord): void;
  /** Those of a tenant in one array, the oldest first; of each tenant that has any. */
  batches(): readonly (readonly SearchTurnRecord[])[];
}

/** Of one tenant (FA5, law 8): the oldest make room for the newest. */
const maxUnwritten = 4_096;

export function createUnwritten(): Unwritten {
  const byTenant = new Map<string, Set<SearchTurnRecord>>();
  return {
    add(record) {
      const ofTenant = byTenant.get(record.tenant) ?? new Set();
      byTenant.set(record.tenant, ofTenant.add(record));
      dropOldest(ofTenant, maxUnwritten);
    },
    delete(record) {
      const ofTenant = byTenant.get(record.tenant);
      ofTenant?.delete(record);
      if (ofTenant?.size === 0) byTenant.delete(record.tenant);
    },
    batches: () => [...byTenant.values()].map((ofTenant) => [...ofTenant]),
  };
}
