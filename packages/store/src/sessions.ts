import type { Database } from './database.ts';
import { isOf, isOfUser, ownName } from './owned-rows.ts';
import { itemColumns, sessionColumns, toItem, toRecord } from './session-rows.ts';
import type { ItemRow, SessionRow } from './session-rows.ts';
import { copySession } from './session-copy.ts';
import { createSessionDeferrals } from './session-deferrals.ts';
import { createSessionHolds, isHeld } from './session-holds.ts';
import type { SessionStore } from './session-store.ts';
import { createSessionWrites } from './session-writes.ts';
import { sql } from './sql.ts';

interface CallRow {
  readonly item: string;
  readonly place: number;
  readonly result: string | null;
}

/** Sessions and their items (RS1, RS3–RS5) over either engine. */
export function createSessionStore(database: Database): SessionStore {
  return {
    ...createSessionHolds(database),
    ...createSessionWrites(database),
    ...createSessionDeferrals(database),

    async create({ app, user, session, title, origin, parent, createdAtMs }, { turn = '' } = {}) {
      const isAllowed =
        parent === undefined
          ? sql`true`
          : sql`exists (select 1 from session where ${isHeld({ app, user, session: parent }, turn)})`;
      const made = await database.run(sql`
        insert into session (app, user_id, session, title, origin, parent, created_at_ms, updated_at_ms)
        select cast(${ownName(app)} as text), cast(${ownName(user)} as text), cast(${ownName(session)} as text),
          cast(${title} as text), cast(${origin} as text), cast(${parent ?? null} as text),
          cast(${createdAtMs} as bigint), cast(${createdAtMs} as bigint)
        where ${isAllowed}
        on conflict (app, user_id, session) do nothing`);
      return made > 0;
    },

    async read(key) {
      const [row] = await database.all<SessionRow>(
        sql`select ${sessionColumns} from session where ${isOf(key)}`,
      );
      return row === undefined ? undefined : toRecord(key, row);
    },

    async list(owner, { limit, before }) {
      const isOlder =
        before === undefined
          ? sql``
          : sql`and (updated_at_ms, session) < (${before.updatedAtMs}, ${before.session})`;
      const rows = await database.all<SessionRow>(sql`
        select ${sessionColumns} from session
        where ${isOfUser(owner)} and parent is null ${isOlder}
        order by updated_at_ms desc, session desc
        limit ${limit}`);
      return rows.map((row) => toRecord(owner, row));
    },

    async rename(key, title) {
      return (await database.run(sql`update session set title = ${title} where ${isOf(key)}`)) > 0;
    },

    async delete(key) {
      return (await database.run(sql`delete from session where ${isOf(key)}`)) > 0;
    },

    async items(key, { fromPosition = 0, limit = Number.MAX_SAFE_INTEGER } = {}) {
      const rows = await database.all<ItemRow>(sql`
        select ${itemColumns} from session_item
        where ${isOf(key)} and position >= ${fromPosition}
        order by position
        limit ${limit}`);
      return rows.map(toItem);
    },

    async calls(key) {
      const rows = await database.all<CallRow>(sql`
        select item, place, result
        from (select item, place, result from session_call where ${isOf(key)}) as call
        join (select id, position from session_item where ${isOf(key)}) as entry on entry.id = call.item
        order by position, place`);
      return rows.map(({ item, place, result }) => ({ item, index: place, result: result ?? undefined }));
    },

    copy: (from, to, options) => copySession(database, from, to, options),
  };
}
