import type { Database } from './database.ts';
import { sql } from './sql.ts';
import { StoreError } from './store-error.ts';
import type { Claim, ThreadKey, ThreadRecord, ThreadStore } from './store.ts';

interface ThreadRow {
  readonly decision: string;
  readonly decided_at_ms: number;
  readonly attempt: string;
}

/** The thread records (O1–O3, O10) over either engine. */
export function createThreadStore(
  database: Database,
  { clock }: { readonly clock: { now(): number } },
): ThreadStore {
  return {
    async claim(record, { deadlineMs }) {
      const waitMs = deadlineMs - clock.now();
      if (waitMs <= 0) return { type: 'unconfirmed', attempt: record.attempt };
      return await firstOf(insertFirst(database, record, deadlineMs), waitMs, record.attempt);
    },

    async settle({ tenant, session, agent, decision, decidedAtMs, attempt }) {
      await database.run(sql`
        insert into thread (tenant, session, agent, decision, decided_at_ms, attempt, last_used_at_ms)
        values (${tenant}, ${session}, ${agent}, ${decision}, ${decidedAtMs}, ${attempt}, ${decidedAtMs})
        on conflict (tenant, session, agent) do update
        set decision = excluded.decision, decided_at_ms = excluded.decided_at_ms
        where thread.attempt = excluded.attempt     -- a row of another attempt stands (O1)`);
    },

    async replace({ tenant, session, agent, decision, decidedAtMs, attempt }) {
      await database.run(sql`
        update thread set decision = ${decision}, decided_at_ms = ${decidedAtMs}
        where tenant = ${tenant} and session = ${session} and agent = ${agent} and attempt = ${attempt}`);
    },

    async read(key) {
      const [row] = await database.all<ThreadRow>(sql`
        select decision, decided_at_ms, attempt from thread
        where tenant = ${key.tenant} and session = ${key.session} and agent = ${key.agent}`);
      return row === undefined ? undefined : toRecord(key, row);
    },

    async touch(keys, nowMs) {
      await database.batch(
        keys.map(
          ({ tenant, session, agent }) => sql`
            update thread set last_used_at_ms = ${nowMs}
            where tenant = ${tenant} and session = ${session} and agent = ${agent}
              and last_used_at_ms < ${nowMs}        -- another process may have seen a later request`,
        ),
      );
    },

    async deleteUnusedSince(beforeMs) {
      return await database.run(sql`delete from thread where last_used_at_ms < ${beforeMs}`);
    },
  };
}

/**
 * One statement, so that no other writer can come between look and insert. The empty update makes `returning` answer
 * the first writer's row; `do nothing` would answer no row. The deadline is held against the engine's own clock, after
 * the wait for its lock: a late insert would bind a thread that has gone another way by then (O1).
 */
async function insertFirst(database: Database, record: ThreadRecord, deadlineMs: number): Promise<Claim> {
  const { tenant, session, agent, decision, decidedAtMs, attempt } = record;
  const [row] = await database.all<ThreadRow>(sql`
    insert into thread (tenant, session, agent, decision, decided_at_ms, attempt, last_used_at_ms)
    select cast(${tenant} as text), cast(${session} as text), cast(${agent} as text), cast(${decision} as text),
      cast(${decidedAtMs} as bigint), cast(${attempt} as text), cast(${decidedAtMs} as bigint)
    where ${database.nowMs} < ${deadlineMs}
    on conflict (tenant, session, agent) do update set tenant = excluded.tenant
    returning decision, decided_at_ms, attempt`);
  if (row === undefined) return { type: 'unconfirmed', attempt };
  return { type: row.attempt === attempt ? 'won' : 'taken', record: toRecord(record, row) };
}

/** Node's timers fire at once beyond this, in ms: 25 days. */
const maxTimerMs = 2 ** 31 - 1;

/** The claim's outcome, or `unconfirmed` when it fails or `waitMs` are over: no failure of the store stops a request (FA4). */
function firstOf(claim: Promise<Claim>, waitMs: number, attempt: string): Promise<Claim> {
  return new Promise((resolve) => {
    const giveUp = (): void => resolve({ type: 'unconfirmed', attempt });
    const timer = setTimeout(giveUp, Math.min(waitMs, maxTimerMs));
    const settle = (outcome: Claim): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    claim.then(settle, (cause: unknown) => {
      settle({ type: 'unconfirmed', attempt, ...(cause instanceof StoreError && { cause }) });
    });
  });
}

function toRecord({ tenant, session, agent }: ThreadKey, row: ThreadRow): ThreadRecord {
  return {
    tenant,
    session,
    agent,
    decision: row.decision,
    decidedAtMs: row.decided_at_ms,
    attempt: row.attempt,
  };
}
