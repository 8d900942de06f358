import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { OptOutRecord, OptOutStore } from './store.ts';

interface OptOutRow {
  readonly session: string;
  readonly is_pending: number;
  readonly last_used_at_ms: number;
}

/** The sessions whose client does not want deferral (SG1, SG2, O10), over either engine. */
export function createOptOutStore(database: Database): OptOutStore {
  return {
    async load(tenant) {
      const rows = await database.all<OptOutRow>(sql`
        select session, is_pending, last_used_at_ms from opt_out
        where tenant = ${tenant}
        order by last_used_at_ms, session`);
      return rows.map((row) => toRecord(tenant, row));
    },

    async find(tenant, session) {
      const [row] = await database.all<OptOutRow>(sql`
        select session, is_pending, last_used_at_ms from opt_out
        where tenant = ${tenant} and session = ${session}`);
      return row === undefined ? undefined : toRecord(tenant, row);
    },

    async save(records) {
      await database.batch(
        records.map(
          ({ tenant, session, isPending, usedAtMs }) => sql`
            insert into opt_out (tenant, session, is_pending, last_used_at_ms)
            values (${tenant}, ${session}, ${isPending ? 1 : 0}, ${usedAtMs})
            on conflict (tenant, session) do update     -- what was taken never waits again, a use is never taken back
            set is_pending = case when opt_out.is_pending = 0 then 0 else excluded.is_pending end,
              last_used_at_ms = case when opt_out.last_used_at_ms > excluded.last_used_at_ms
                then opt_out.last_used_at_ms else excluded.last_used_at_ms end`,
        ),
      );
    },

    async trimPending(tenant, kept) {
      return await database.run(sql`
        delete from opt_out
        where tenant = ${tenant} and is_pending = 1 and session not in (
          select session from opt_out
          where tenant = ${tenant} and is_pending = 1
          order by last_used_at_ms desc, session
          limit ${kept})`);
    },

    async deleteUnusedSince({ beforeMs, pendingBeforeMs }) {
      return await database.run(sql`
        delete from opt_out
        where last_used_at_ms < ${beforeMs} or (is_pending = 1 and last_used_at_ms < ${pendingBeforeMs})`);
    },
  };
}

function toRecord(tenant: string, row: OptOutRow): OptOutRecord {
  return {
    tenant,
    session: row.session,
    isPending: row.is_pending === 1,
    usedAtMs: row.last_used_at_ms,
  };
}
