import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { VerdictRecord, VerdictStore } from './store.ts';

interface VerdictRow {
  readonly upstream: string;
  readonly model: string;
  readonly route: string;
  readonly verdict: VerdictRecord['verdict'];
  readonly checked_at_ms: number;
}

/** The outcomes of checks (CH3) over either engine. They describe endpoints and belong to no tenant. */
export function createVerdictStore(database: Database): VerdictStore {
  return {
    async load() {
      const rows = await database.all<VerdictRow>(sql`
        select upstream, model, route, verdict, checked_at_ms from verdict
        order by checked_at_ms, upstream, model, route`);
      return rows.map(({ checked_at_ms: checkedAtMs, ...row }) => ({ ...row, checkedAtMs }));
    },

    async save({ upstream, model, route, verdict, checkedAtMs }) {
      await database.run(sql`
        insert into verdict (upstream, model, route, verdict, checked_at_ms)
        values (${upstream}, ${model}, ${route}, ${verdict}, ${checkedAtMs})
        on conflict (upstream, model, route) do update
        set verdict = excluded.verdict, checked_at_ms = excluded.checked_at_ms`);
    },

    async delete({ upstream, model, route }) {
      await database.run(sql`
        delete from verdict where upstream = ${upstream} and model = ${model} and route = ${route}`);
    },
  };
}
