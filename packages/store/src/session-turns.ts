import type { SessionKey } from './agent-store.ts';
import type { Database } from './database.ts';
import { isOf, itemColumns, nothingSpent, spentColumns } from './session-rows.ts';
import type {
  Append,
  SessionItem,
  SessionStore,
  SessionTotals,
  TurnBegin,
  TurnHold,
} from './session-store.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';
import { StoreError } from './store-error.ts';

type SessionTurns = Pick<
  SessionStore,
  'beginTurn' | 'takeTurn' | 'renewTurn' | 'endTurn' | 'append' | 'startCall' | 'endCall'
>;

interface HoldRow {
  readonly turn: string;
  readonly turn_owner: string;
  readonly turn_ends_at_ms: number;
}

/**
 * The hold of a session and what a turn writes under it (L1, RS4). Each statement of a write looks at the hold by
 * itself, and the first changes the session's row, so that no other writer can come between: all of them do their work,
 * or none. How many rows changed tells which.
 */
export function createSessionTurns(database: Database): SessionTurns {
  return {
    beginTurn: (key, hold) => take(database, key, hold, hold.turn),
    takeTurn: (key, hold, from) => take(database, key, hold, from.turn),

    async renewTurn(key, hold) {
      const renewed = await database.run(sql`
        update session set turn_ends_at_ms = ${database.nowMs} + ${hold.leaseMs} where ${isHeld(key, hold.turn)}`);
      return renewed > 0;
    },

    async endTurn(key, turn) {
      await database.run(sql`
        update session set turn = null, turn_owner = null, turn_ends_at_ms = null where ${isHeld(key, turn)}`);
    },

    async append(key, turn, items, { request, spent = nothingSpent } = {}) {
      const isNew =
        request === undefined
          ? isHeld(key, turn)
          : sql`${isHeld(key, turn)} and not exists (
              select 1 from session_receipt where ${isOf(key)} and request = ${request.id})`;
      const changed = await database.batch([
        countUse(key, isNew, { atMs: Math.max(0, ...items.map(({ atMs }) => atMs)), spent }),
        ...items.map((item, index) =>
          insertItem(key, isNew, item, index === items.length - 1 ? spent : nothingSpent),
        ),
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

/** One statement that answers who has the hold afterwards, whoever that is. */
async function take(
  database: Database,
  key: SessionKey,
  { turn, owner, leaseMs }: TurnHold,
  from: string,
): Promise<TurnBegin> {
  const isFree = sql`(turn is null or turn in (${turn}, ${from}) or turn_ends_at_ms <= ${database.nowMs})`;
  const [row] = await database.all<HoldRow>(sql`
    update session set
      turn = case when ${isFree} then ${turn} else turn end,
      turn_owner = case when ${isFree} then ${owner} else turn_owner end,
      turn_ends_at_ms = case when ${isFree} then ${database.nowMs} + ${leaseMs} else turn_ends_at_ms end
    where ${isOf(key)}
    returning turn, turn_owner, turn_ends_at_ms`);
  if (row === undefined) return { type: 'missing' };
  if (row.turn === turn) return { type: 'begun' };
  return { type: 'busy', turn: row.turn, owner: row.turn_owner, endsAtMs: row.turn_ends_at_ms };
}

function isHeld(key: SessionKey, turn: string): Sql {
  return sql`${isOf(key)} and turn = ${turn}`;
}

/** Of the session and of those it works for, up to the first: what a sub-session spends, its parents spend. */
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
        select above.session, above.parent from line join session as above on above.session = line.parent
        where above.app = ${app} and above.user_id = ${user})
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

interface RequestReceipt {
  readonly id: string;
  readonly contentHash: string;
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
  const written = await database.run(sql`
    insert into session_call (app, user_id, session, item, place, result)
    select app, user_id, session, cast(${item} as text), cast(${index} as bigint), cast(${result} as text)
    from session where ${isHeld(key, turn)}
    on conflict (app, user_id, session, item, place) do update
    set result = coalesce(session_call.result, excluded.result)`);
  if (written === 0) throw turnLost(key, turn);
}

function turnLost({ session }: SessionKey, turn: string): StoreError {
  return new StoreError(
    'STORE_TURN_LOST',
    `Expected turn ${turn} to hold session ${session}; it does not, or the session is gone. Nothing was written. ` +
      'Begin another turn.',
  );
}
