import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { PlanRecord, PlanStore } from './store.ts';

interface PlanRow {
  readonly fingerprint: string;
  readonly units: string;
  readonly made_at_ms: number;
}

/** The plans that keep sessions steady for a day (O9) over either engine. */
export function createPlanStore(database: Database): PlanStore {
  return {
    async load(tenant) {
      const rows = await database.all<PlanRow>(sql`
        select fingerprint, units, made_at_ms from plan where tenant = ${tenant} order by made_at_ms, fingerprint`);
      return rows.map((row) => toRecord(tenant, row));
    },

    async save({ tenant, fingerprint, units, madeAtMs }) {
      await database.run(sql`
        insert into plan (tenant, fingerprint, units, made_at_ms)
        values (${tenant}, ${fingerprint}, ${JSON.stringify(units)}, ${madeAtMs})
        on conflict (tenant, fingerprint) do update
        set units = excluded.units, made_at_ms = excluded.made_at_ms`);
    },

    async deleteMadeBefore(beforeMs) {
      return await database.run(sql`delete from plan where made_at_ms < ${beforeMs}`);
    },
  };
}

function toRecord(tenant: string, { fingerprint, units, made_at_ms: madeAtMs }: PlanRow): PlanRecord {
  return { tenant, fingerprint, units: JSON.parse(units) as readonly string[], madeAtMs };
}
