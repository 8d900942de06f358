import type { Database } from './database.ts';
import { type Sql, sql } from './sql.ts';
import type { SearchTurnRecord, SearchTurnStore } from './store.ts';

interface SearchTurnRow {
  readonly anchor: string;
  readonly session: string;
  readonly agent: string;
  readonly turn: string;
  readonly last_used_at_ms: number;
}

/** So many values stand in one statement. */
const maxAnchors = 200;

/** The search turns of threads (Q2, Q3, O10), over either engine. */
export function createSearchTurnStore(database: Database): SearchTurnStore {
  return {
    async save(records) {
      await database.batch(
        records.map(
          ({ tenant, anchor, session, agent, turn, usedAtMs }) => sql`
            insert into search_turn (tenant, anchor, session, agent, turn, last_used_at_ms)
            values (${tenant}, ${anchor}, ${session}, ${agent}, ${turn}, ${usedAtMs})
            on conflict (tenant, anchor) do update     -- the first stands, and a use is never taken back
            set last_used_at_ms = case when search_turn.last_used_at_ms > excluded.last_used_at_ms
              then search_turn.last_used_at_ms else excluded.last_used_at_ms end`,
        ),
      );
    },

    async find(tenant, anchors) {
      const found: SearchTurnRecord[] = [];
      for (let start = 0; start < anchors.length; start += maxAnchors) {
        const listed = listOf(anchors.slice(start, start + maxAnchors));
        const rows = await database.all<SearchTurnRow>(sql`
          select anchor, session, agent, turn, last_used_at_ms from search_turn
          where tenant = ${tenant} and anchor in (${listed})`);
        found.push(...rows.map((row) => toRecord(tenant, row)));
      }
      return found;
    },

    async touch(keys, nowMs) {
      await database.batch(
        keys.map(
          ({ tenant, session, agent }) => sql`
            update search_turn set last_used_at_ms = ${nowMs}
            where tenant = ${tenant} and session = ${session} and agent = ${agent}
              and last_used_at_ms < ${nowMs}        -- another process may have seen a later request`,
        ),
      );
    },

    async deleteUnusedSince(beforeMs) {
      return await database.run(sql`delete from search_turn where last_used_at_ms < ${beforeMs}`);
    },
  };
}

function listOf([first, ...others]: readonly string[]): Sql {
  return others.reduce((list, value) => sql`${list}, ${value}`, sql`${first ?? null}`);
}

function toRecord(tenant: string, row: SearchTurnRow): SearchTurnRecord {
  const { anchor, session, agent, turn, last_used_at_ms: usedAtMs } = row;
  return { tenant, anchor, session, agent, turn, usedAtMs };
}
