import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { HistoryStore, SessionHistory } from './store.ts';

interface HistoryRow {
  readonly session: string;
  readonly project: string;
  readonly declared: string;
  readonly used: string;
  readonly last_activity_ms: number;
}

/** The usage history (HI1–HI5) over either engine. Name lists are JSON text: they are only ever read whole. */
export function createHistoryStore(database: Database): HistoryStore {
  return {
    async load(tenant) {
      const rows = await database.all<HistoryRow>(sql`
        select session, project, declared, used, last_activity_ms from session_history
        where tenant = ${tenant}
        order by last_activity_ms desc, session, project`);
      return rows.map((row) => toSessionHistory(tenant, row));
    },

    async save(rows) {
      await database.batch(
        rows.map(
          ({ tenant, session, project, declared, used, lastActivityMs }) => sql`
            insert into session_history (tenant, session, project, declared, used, last_activity_ms)
            values (${tenant}, ${session}, ${project}, ${JSON.stringify(declared)}, ${JSON.stringify(used)},
              ${lastActivityMs})
            on conflict (tenant, session, project) do update
            set declared = excluded.declared, used = excluded.used, last_activity_ms = excluded.last_activity_ms`,
        ),
      );
    },

    async trim(tenant, kept) {
      return await database.run(sql`
        delete from session_history
        where tenant = ${tenant} and (session, project) in (
          select session, project from (
            select session, project,
              row_number() over (order by last_activity_ms desc, session, project) as place,
              row_number() over (partition by project order by last_activity_ms desc, session) as place_in_project,
              dense_rank() over (order by project_activity_ms desc, project) as place_of_project
            from (
              select session, project, last_activity_ms,
                max(last_activity_ms) over (partition by project) as project_activity_ms
              from session_history
              where tenant = ${tenant}) as activity) as ranked
          where place > ${kept.sessions}
            and (place_in_project > ${kept.sessionsPerProject} or place_of_project > ${kept.projects}))`);
    },

    async deleteUnusedSince(beforeMs) {
      return await database.run(sql`delete from session_history where last_activity_ms < ${beforeMs}`);
    },
  };
}

function toSessionHistory(tenant: string, row: HistoryRow): SessionHistory {
  return {
    tenant,
    session: row.session,
    project: row.project,
    declared: parseNames(row.declared),
    used: parseNames(row.used),
    lastActivityMs: row.last_activity_ms,
  };
}

function parseNames(json: string): readonly string[] {
  return JSON.parse(json) as string[]; // `save` is the column's only writer
}
