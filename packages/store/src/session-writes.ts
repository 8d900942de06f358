import type { SessionKey } from './agent-store.ts';
import type { Database } from './database.ts';
import { changeToolDeferrals } from './session-deferrals.ts';
import { isHeld, keepHold, turnLost } from './session-holds.ts';
import { isOf } from './owned-rows.ts';
import { itemColumns, nothingSpent, spentColumns } from './session-rows.ts';
import type { Append, SessionItem, SessionStore, SessionTotals } from './session-store.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';

interface RequestReceipt {
  readonly id: string;
  readonly contentHash: string;
}

/**
 * What a turn writes into its session (RS1, RS4). A batch answers only how many rows it changed: one that changed none
 * has lost its turn, or was done before.
 */
export function createSessionWrites(
  database: Database,
): Pick<SessionStore, 'append' | 'startCall' | 'endCall'> {
  return {
    async append(key, turn, items, { request, spent = nothingSpent, toolDeferrals } = {}) {
      const isNew =
        request === undefined
          ? isHeld(key, turn)
          : sql`${isHeld(key, turn)} and not exists (
              select 1 from session_receipt where ${isOf(key)} and request = ${request.id})`;
      const changed = await database.batch([
        keepHold(isNew),
        countUse(key, isNew, { atMs: Math.max(0, ...items.map(({ atMs }) => atMs)), spent }),
        ...items.map((item, index) =>
          insertItem(key, isNew, item, index === items.length - 1 ? spent : nothingSpent),
        ),
        ...(toolDeferrals === undefined ? [] : changeToolDeferrals(key, isNew, toolDeferrals)),
        // The receipt comes last: those before it look whether there is one.
        ...(request === undefined ? [] : [insertReceipt(isNew, request)]),
      ]);
      if (changed > 0) return { type: 'appended' };
      if (request === undefined) throw turnLost(key, turn);
      return await findReceipt(database, key, turn, request);
    },

    startCall: (key, turn, place) => writeCall(database, key, turn, { ...place, result: null }),
    endCall: (key, turn, place, result) => writeCall(database, key, turn, { ...place, result }),
  };
}

/**
 * Of the session and of those it works for, up to the first: what a sub-session spends, its parents spend. A cross join is
 * made in the order in which it stands: SQLite would look through all sessions of the user at each step.
 */
function countUse(
  { app, user }: SessionKey,
  isNew: Sql,
  { atMs, spent }: { readonly atMs: number; readonly spent: SessionTotals },
): Sql {
  return sql`
    update session set
      updated_at_ms = case when updated_at_ms < ${atMs} then ${atMs} else updated_at_ms end,
      input_tokens = input_tokens + ${spent.inputTokens},
      cache_read_tokens = cache_read_tokens + ${spent.cacheReadTokens},
      cache_write_tokens = cache_write_tokens + ${spent.cacheWriteTokens},
      output_tokens = output_tokens + ${spent.outputTokens},
      cost_usd = cost_usd + ${spent.costUsd},
      unpriced_answers = unpriced_answers + ${spent.unpricedAnswers}
    where app = ${app} and user_id = ${user} and session in (
      with recursive line (session, parent) as (
        select session, parent from session where ${isNew}
        union all
        select above.session, above.parent from line cross join session as above
        where above.app = ${app} and above.user_id = ${user} and above.session = line.parent)
      select session from line)`;
}

function insertItem(key: SessionKey, isNew: Sql, item: SessionItem, spent: SessionTotals): Sql {
  return sql`
    insert into session_item (app, user_id, session, ${itemColumns}, ${spentColumns})
    select app, user_id, session,
      (select coalesce(max(position) + 1, 0) from session_item where ${isOf(key)}),
      cast(${item.id} as text), cast(${item.type} as text), cast(${item.body} as text), cast(${item.atMs} as bigint),
      cast(${item.subSession ?? null} as text),
      cast(${spent.inputTokens} as bigint), cast(${spent.cacheReadTokens} as bigint),
      cast(${spent.cacheWriteTokens} as bigint), cast(${spent.outputTokens} as bigint),
      cast(${spent.costUsd} as double precision), cast(${spent.unpricedAnswers} as bigint)
    from session where ${isNew}`;
}

function insertReceipt(isNew: Sql, { id, contentHash }: RequestReceipt): Sql {
  return sql`
    insert into session_receipt (app, user_id, session, request, content_hash)
    select app, user_id, session, cast(${id} as text), cast(${contentHash} as text) from session where ${isNew}`;
}

/** Why nothing was appended. A receipt counts whoever wrote it: what was asked for is done. */
async function findReceipt(
  database: Database,
  key: SessionKey,
  turn: string,
  { id, contentHash }: RequestReceipt,
): Promise<Append> {
  const [receipt] = await database.all<{ readonly content_hash: string }>(sql`
    select content_hash from session_receipt where ${isOf(key)} and request = ${id}`);
  if (receipt === undefined) throw turnLost(key, turn);
  return { type: receipt.content_hash === contentHash ? 'repeated' : 'conflict' };
}

async function writeCall(
  database: Database,
  key: SessionKey,
  turn: string,
  { item, index, result }: { readonly item: string; readonly index: number; readonly result: string | null },
): Promise<void> {
  const written = await database.batch([
    keepHold(isHeld(key, turn)),
    sql`
      insert into session_call (app, user_id, session, item, place, result)
      select app, user_id, session, cast(${item} as text), cast(${index} as bigint), cast(${result} as text)
      from session where ${isHeld(key, turn)}
      on conflict (app, user_id, session, item, place) do update
      set result = coalesce(session_call.result, excluded.result)`,
  ]);
  if (written === 0) throw turnLost(key, turn);
}
