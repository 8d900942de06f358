import type { SessionKey } from './agent-store.ts';
import type { Database } from './database.ts';
import { isOf } from './owned-rows.ts';
import { spentColumns } from './session-rows.ts';
import type { SessionCopy } from './session-store.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';
import { StoreError } from './store-error.ts';

/** One copy to make. */
interface Copy extends SessionCopy {
  readonly from: SessionKey;
  readonly to: SessionKey;
  /** Without a bound, more than any position. */
  readonly endPosition: number;
}

/** `SessionStore.copy`: each statement finds the family anew, in one transaction, so that all see the same. */
export async function copySession(
  database: Database,
  from: SessionKey,
  to: string,
  options: SessionCopy,
): Promise<boolean> {
  const { beforePosition = Number.MAX_SAFE_INTEGER } = options;
  if (options.beforePosition !== undefined) await refuseBeyondEnd(database, from, beforePosition);
  const copy: Copy = { ...options, from, to: { ...from, session: to }, endPosition: beforePosition };
  try {
    const parts = [copyRows, copyItems, copyCalls, copyReferences, copyPlans, copyTasks, countSpent];
    return (await database.batch(parts.map((part) => part(copy)))) > 0;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_CONFLICT') return false; // the name is taken
    throw error;
  }
}

/** Items are never taken back, so that an end that was reached once stays reached. */
async function refuseBeyondEnd(database: Database, key: SessionKey, beforePosition: number): Promise<void> {
  const [row] = await database.all<{ readonly length: number }>(sql`
    select (select coalesce(max(position) + 1, 0) from session_item where ${isOf(key)}) as length
    from session where ${isOf(key)}`);
  if (row === undefined) return; // there is nothing to copy
  if (Number.isInteger(beforePosition) && beforePosition >= 0 && beforePosition <= row.length) return;
  throw new StoreError(
    'STORE_BAD_POSITION',
    `Expected a position from 0 to ${row.length}, the end of session ${key.session}; got ${beforePosition}.`,
  );
}

/** The source, and below it each sub-session that a copied item names; joined in this order, as in `countUse`. */
function family({ from, endPosition }: Copy): Sql {
  const { app, user, session } = from;
  return sql`
    with recursive family (session) as (
      select session from session where ${isOf(from)}
      union
      select below.session from family cross join session_item as item cross join session as below
      where item.app = ${app} and item.user_id = ${user} and item.session = family.session
        and below.app = ${app} and below.user_id = ${user} and below.session = item.sub_session
        and below.parent = family.session and (item.session <> ${session} or item.position < ${endPosition}))
    select session from family`;
}

/** The name that a session of the family has in the copy; where `column` is null, null. */
function copied({ from, to }: Copy, column: Sql): Sql {
  const below = `${from.session}/`; // the name of a copy's sub-session begins so: it is replaced, or names would grow
  return sql`
    case
      when ${column} = ${from.session} then ${to.session}
      when substr(${column}, 1, length(${below})) = ${below}
        then ${to.session} || substr(${column}, length(${below}))
      else ${to.session} || '/' || ${column}
    end`;
}

function copyRows(copy: Copy): Sql {
  const { from, title, atMs } = copy;
  const isTop = sql`session = ${from.session}`;
  return sql`
    insert into session (app, user_id, session, title, origin, parent, created_at_ms, updated_at_ms, ${spentColumns},
      tool_deferrals)
    select app, user_id, ${copied(copy, sql`session`)}, case when ${isTop} then ${title} else title end, origin,
      case when ${isTop} then null else ${copied(copy, sql`parent`)} end,
      cast(${atMs} as bigint), cast(${atMs} as bigint), ${spentColumns},
      case when ${takesDeferrals(copy)} then tool_deferrals end
    from session where ${isInFamily(copy)}`;
}

function copyItems(copy: Copy): Sql {
  return sql`
    insert into session_item (
      app, user_id, session, position, id, type, body, at_ms, sub_session, ${spentColumns})
    select app, user_id, ${copied(copy, sql`session`)}, position, id, type, body, at_ms,
      ${copied(copy, sql`sub_session`)}, ${spentColumns}
    from session_item
    where ${isInFamily(copy)} and (session <> ${copy.from.session} or position < ${copy.endPosition})`;
}

function copyCalls(copy: Copy): Sql {
  return sql`
    insert into session_call (app, user_id, session, item, place, result)
    select app, user_id, ${copied(copy, sql`session`)}, item, place, result from session_call
    where ${isInFamily(copy)} and (session <> ${copy.from.session} or item in (
      select id from session_item where ${isOf(copy.from)} and position < ${copy.endPosition}))`;
}

function copyReferences(copy: Copy): Sql {
  return sql`
    insert into session_declaration (app, user_id, session, digest)
    select app, user_id, ${copied(copy, sql`session`)}, digest from session_declaration
    where ${isInFamily(copy)} and ${takesDeferrals(copy)}`;
}

function copyPlans(copy: Copy): Sql {
  return sql`
    insert into session_plan (app, user_id, session, plan)
    select app, user_id, ${copied(copy, sql`session`)}, plan from session_plan
    where ${isInFamily(copy)} and ${isWhole(copy)}`;
}

function copyTasks(copy: Copy): Sql {
  return sql`
    insert into session_task (app, user_id, session, place, title, status)
    select app, user_id, ${copied(copy, sql`session`)}, place, title, status from session_task
    where ${isInFamily(copy)} and ${isWhole(copy)}`;
}

/** What the copy's own items have spent, and its sub-sessions. Where there is no source, `to` may be anyone's. */
function countSpent({ from, to }: Copy): Sql {
  return sql`
    update session set (${spentColumns}) = (
      select coalesce(sum(input_tokens), 0), coalesce(sum(cache_read_tokens), 0),
        coalesce(sum(cache_write_tokens), 0), coalesce(sum(output_tokens), 0),
        coalesce(sum(cost_usd), 0), coalesce(sum(unpriced_answers), 0)
      from (
        select ${spentColumns} from session_item where ${isOf(to)}
        union all
        select ${spentColumns} from session
        where app = ${to.app} and user_id = ${to.user} and parent = ${to.session}) as part)
    where ${isOf(to)} and exists (select 1 from session where ${isOf(from)})`;
}

function isInFamily(copy: Copy): Sql {
  return sql`app = ${copy.from.app} and user_id = ${copy.from.user} and session in (${family(copy)})`;
}

/** A sub-session is copied whole, so that its own state holds in the copy. */
function takesDeferrals({ from, beforePosition, toolDeferrals }: Copy): Sql {
  if (beforePosition === undefined) return sql`1 = 1`;
  return sql`(session <> ${from.session} or exists (
    select 1 from session where ${isOf(from)} and tool_deferrals = cast(${toolDeferrals ?? null} as text)))`;
}

/** A plan is that of the end: at an earlier place it was another, which nobody has kept. */
function isWhole({ from, endPosition }: Copy): Sql {
  return sql`(session <> ${from.session} or not exists (
    select 1 from session_item where ${isOf(from)} and position >= ${endPosition}))`;
}
