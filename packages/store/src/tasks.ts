import type { SessionKey, SessionTaskStore, TaskRecord } from './agent-store.ts';
import type { Database } from './database.ts';
import { isOf, ownName } from './owned-rows.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';

/** The plan and the tasks of each session, over either engine. */
export function createSessionTaskStore(database: Database): SessionTaskStore {
  return {
    async savePlan({ app, user, session }, plan) {
      await database.run(sql`
        insert into session_plan (app, user_id, session, plan)
        values (${ownName(app)}, ${ownName(user)}, ${ownName(session)}, ${plan})
        on conflict (app, user_id, session) do update set plan = excluded.plan`);
    },

    async readPlan(key) {
      const [row] = await database.all<{ readonly plan: string }>(sql`
        select plan from session_plan where ${isOf(key)}`);
      return row?.plan;
    },

    async saveTasks(key, tasks) {
      const { app, user, session } = key;
      await database.batch([
        deleteTasks(key),
        ...tasks.map(
          ({ title, status }, place) => sql`
            insert into session_task (app, user_id, session, place, title, status)
            values (${app}, ${user}, ${session}, ${place}, ${title}, ${status})`,
        ),
      ]);
    },

    async readTasks(key) {
      return await database.all<TaskRecord>(sql`
        select title, status from session_task
        where ${isOf(key)}
        order by place`);
    },

    async delete(key) {
      await database.batch([deleteTasks(key), sql`delete from session_plan where ${isOf(key)}`]);
    },
  };
}

function deleteTasks(key: SessionKey): Sql {
  return sql`delete from session_task where ${isOf(key)}`;
}
