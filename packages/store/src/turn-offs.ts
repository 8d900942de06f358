import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { TurnOffStore } from './store.ts';

interface TurnOffRow {
  readonly model: string;
  readonly started_at_ms: number;
}

/** For which models deferral is off after a proof that it broke a request (RF2), over either engine. */
export function createTurnOffStore(database: Database): TurnOffStore {
  return {
    async load(tenant) {
      const rows = await database.all<TurnOffRow>(sql`
        select model, started_at_ms from turn_off where tenant = ${tenant} order by started_at_ms, model`);
      return rows.map(({ model, started_at_ms: startedAtMs }) => ({ tenant, model, startedAtMs }));
    },

    async save({ tenant, model, startedAtMs }) {
      await database.run(sql`
        insert into turn_off (tenant, model, started_at_ms) values (${tenant}, ${model}, ${startedAtMs})
        on conflict (tenant, model) do update
        set started_at_ms = excluded.started_at_ms
        where turn_off.started_at_ms < excluded.started_at_ms     -- another process may have had a later proof`);
    },

    async trim(tenant, kept) {
      return await database.run(sql`
        delete from turn_off
        where tenant = ${tenant} and model not in (
          select model from turn_off
          where tenant = ${tenant}
          order by started_at_ms desc, model
          limit ${kept})`);
    },

    async deleteStartedBefore(beforeMs) {
      return await database.run(sql`delete from turn_off where started_at_ms < ${beforeMs}`);
    },
  };
}
