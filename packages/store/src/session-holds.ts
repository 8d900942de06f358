import type { SessionKey } from './agent-store.ts';
import type { Database } from './database.ts';
import { isOf } from './owned-rows.ts';
import type { SessionStore, TurnBegin, TurnHold } from './session-store.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';
import { StoreError } from './store-error.ts';

interface HoldRow {
  readonly turn: string;
  readonly turn_owner: string;
  readonly turn_ends_at_ms: number;
}

/** The hold of a session (L1): it stands in the session's own row, and its lease runs by the engine's own clock. */
export function createSessionHolds(
  database: Database,
): Pick<SessionStore, 'beginTurn' | 'takeTurn' | 'renewTurn' | 'endTurn'> {
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
        update session set turn = null, turn_owner = null, turn_ends_at_ms = null
        where ${isOf(key)} and turn = ${turn}`);
    },
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

/**
 * The fence: holds for the session's row while the turn has it, also after its lease, until another has taken it. One
 * turn has a sub-session and all those that it works for: it loses it with the first of them.
 */
export function isHeld(key: SessionKey, turn: string): Sql {
  return sql`${isOf(key)} and turn = ${turn} and not exists (
    with recursive line (parent, turn) as (
      select parent, turn from session where ${isOf(key)}
      union all
      select above.parent, above.turn from line cross join session as above
      where above.app = ${key.app} and above.user_id = ${key.user} and above.session = line.parent)
    select 1 from line where turn is distinct from ${turn})`;
}

/**
 * Begins a write of several statements, each of which looks at `fence` by itself. This one changes the session's row, so
 * that no other writer comes between it and the last: all of them do their work, or none.
 */
export function keepHold(fence: Sql): Sql {
  return sql`update session set turn = turn where ${fence}`;
}

/** For a write that changed nothing. */
export function turnLost({ session }: SessionKey, turn: string): StoreError {
  return new StoreError(
    'STORE_TURN_LOST',
    `Expected turn ${turn} to hold session ${session}; it does not, or the session is gone. Nothing was written. ` +
      'Begin another turn.',
  );
}
