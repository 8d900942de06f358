import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { OpeningStore } from './store.ts';

interface OpeningRow {
  readonly decision: string;
}

/** How conversations began, and what was decided for them (O5), over either engine. */
export function createOpeningStore(database: Database): OpeningStore {
  return {
    async find(tenant, fingerprint) {
      const [row] = await database.all<OpeningRow>(sql`
        select decision from opening where tenant = ${tenant} and fingerprint = ${fingerprint}`);
      return row?.decision;
    },

    async save({ tenant, fingerprint, decision, usedAtMs }) {
      await database.run(sql`
        insert into opening (tenant, fingerprint, decision, last_used_at_ms)
        values (${tenant}, ${fingerprint}, ${decision}, ${usedAtMs})
        on conflict (tenant, fingerprint) do update      -- the first decision stands, only its use is renewed
        set last_used_at_ms = excluded.last_used_at_ms`);
    },

    async replace({ tenant, fingerprint, decision, usedAtMs }) {
      await database.run(sql`
        update opening set decision = ${decision}, last_used_at_ms = ${usedAtMs}
        where tenant = ${tenant} and fingerprint = ${fingerprint}`);
    },

    async deleteUnusedSince(beforeMs) {
      return await database.run(sql`delete from opening where last_used_at_ms < ${beforeMs}`);
    },
  };
}
