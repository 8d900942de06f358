import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';
import type { CacheEntryRecord, LedgerAmount, LedgerStore, RequestRecord } from './store.ts';

interface RecordRow {
  readonly [column: string]: string | number | null;
}

interface CacheEntryRow {
  readonly arm: CacheEntryRecord['arm'];
  readonly hash: string;
  readonly tokens: number;
  readonly life_ms: number;
  readonly ends_at_ms: number;
}

/** Beside its texts: figures, keys and the index entry. */
const fixedRowBytes = 240;
/** Rows deleted by one statement: other work gets its turn between them. */
const maxDeletedAtOnce = 1_000;
const dayMs = 86_400_000;

/**
 * Request records and the ledger's sums (LE1–LE6, FA5) over either engine. Each record carries the bytes of all before
 * it, so that the oldest that are too many are found without adding anything up. Rows that a purge took out of the
 * middle still count there, which errs toward keeping fewer.
 */
export function createLedgerStore(database: Database): LedgerStore {
  return {
    async append(records, amounts) {
      await database.batch([...records.map(insertRecord), ...amounts.map(addAmount)]);
    },

    async records(tenant, { limit, session }) {
      const ofSession = session === undefined ? sql`` : sql`and session = ${session}`;
      const rows = await database.all<RecordRow>(sql`
        select * from request_record where tenant = ${tenant} ${ofSession} order by id desc limit ${limit}`);
      return rows.map(toRecord);
    },

    async sums(tenant, { sinceDay }) {
      return await database.all<LedgerAmount>(sql`
        select tenant, day, name, amount from ledger_sum
        where tenant = ${tenant} and day >= ${sinceDay}
        order by day, name`);
    },

    async trim({ rows, bytes }) {
      return await repeat(() =>
        database.run(sql`
          delete from request_record
          where id in (select id from request_record order by id limit ${maxDeletedAtOnce})
            and (id <= (select max(id) from request_record) - ${rows}
              or bytes_before < (
                select bytes_before + bytes from request_record order by id desc limit 1) - ${bytes})`),
      );
    },

    async saveCacheEntries(entries) {
      await database.batch(
        entries.map(
          ({ tenant, arm, hash, tokens, lifeMs, endsAtMs }) => sql`
            insert into cache_entry (tenant, arm, hash, tokens, life_ms, ends_at_ms)
            values (${tenant}, ${arm}, ${hash}, ${tokens}, ${lifeMs}, ${endsAtMs})
            on conflict (tenant, arm, hash) do update
            set tokens = excluded.tokens, life_ms = excluded.life_ms, ends_at_ms = excluded.ends_at_ms`,
        ),
      );
    },

    async cacheEntries(tenant, nowMs) {
      const rows = await database.all<CacheEntryRow>(sql`
        select arm, hash, tokens, life_ms, ends_at_ms from cache_entry
        where tenant = ${tenant} and ends_at_ms > ${nowMs}
        order by ends_at_ms, arm, hash`);
      return rows.map(({ arm, hash, tokens, life_ms: lifeMs, ends_at_ms: endsAtMs }) => ({
        tenant,
        arm,
        hash,
        tokens,
        lifeMs,
        endsAtMs,
      }));
    },

    async deleteCacheEntriesEndedBefore(nowMs) {
      return await database.run(sql`delete from cache_entry where ends_at_ms < ${nowMs}`);
    },

    async deleteBefore(beforeMs) {
      const deleted = await repeat(() =>
        database.run(sql`
          delete from request_record
          where id in (select id from request_record where at_ms < ${beforeMs} order by at_ms limit ${maxDeletedAtOnce})`),
      );
      const day = Math.floor(beforeMs / dayMs);
      return deleted + (await database.run(sql`delete from ledger_sum where day < ${day}`));
    },

    async deleteTenant(tenant) {
      return await database.batch([
        sql`delete from request_record where tenant = ${tenant}`,
        sql`delete from ledger_sum where tenant = ${tenant}`,
        sql`delete from cache_entry where tenant = ${tenant}`,
      ]);
    },
  };
}

function insertRecord(record: RequestRecord): Sql {
  const { tenant, session, agent, project, client, model, decision, reason } = record;
  const texts = [tenant, session, agent, project, client, model, decision, reason ?? ''];
  const bytes = texts.reduce((sum, text) => sum + text.length, fixedRowBytes);
  return sql`
    insert into request_record (
      tenant, session, agent, project, client, model, at_ms, status, decision, reason,
      input_tokens, cache_read_tokens, cache_write_short_tokens, cache_write_long_tokens, output_tokens, cost_usd,
      net_tokens, net_usd, projected_tokens, projected_usd,
      searches, dropped_searches, wrong_guesses, refused_rounds, bytes, bytes_before)
    values (
      ${tenant}, ${session}, ${agent}, ${project}, ${client}, ${model}, ${record.atMs}, ${record.status},
      ${decision}, ${reason},
      ${record.inputTokens}, ${record.cacheReadTokens}, ${record.cacheWriteShortTokens},
      ${record.cacheWriteLongTokens}, ${record.outputTokens}, ${record.costUsd},
      ${record.netTokens}, ${record.netUsd}, ${record.projectedTokens}, ${record.projectedUsd},
      ${record.searches}, ${record.droppedSearches}, ${record.wrongGuesses}, ${record.refusedRounds},
      ${bytes}, coalesce((select bytes_before + bytes from request_record order by id desc limit 1), 0))`;
}

/** Adds, so that several gateways share one sum. */
function addAmount({ tenant, day, name, amount }: LedgerAmount): Sql {
  return sql`
    insert into ledger_sum (tenant, day, name, amount) values (${tenant}, ${day}, ${name}, ${amount})
    on conflict (tenant, day, name) do update set amount = ledger_sum.amount + excluded.amount`;
}

/** Deletes until nothing is left to delete; answers how much that was. */
async function repeat(deleteSome: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteSome();
    total += deleted;
    if (deleted < maxDeletedAtOnce) return total;
  }
}

function toRecord(row: RecordRow): RequestRecord {
  const text = (column: string): string => String(row[column]);
  const count = (column: string): number => Number(row[column]);
  const known = (column: string): number | null => {
    const value = row[column];
    return value === null || value === undefined ? null : Number(value);
  };
  return {
    tenant: text('tenant'),
    session: text('session'),
    agent: text('agent'),
    project: text('project'),
    client: text('client'),
    model: text('model'),
    atMs: count('at_ms'),
    status: count('status'),
    decision: text('decision') as RequestRecord['decision'], // `append` is the column's only writer
    reason: row['reason'] === null ? null : text('reason'),
    inputTokens: known('input_tokens'),
    cacheReadTokens: known('cache_read_tokens'),
    cacheWriteShortTokens: known('cache_write_short_tokens'),
    cacheWriteLongTokens: known('cache_write_long_tokens'),
    outputTokens: known('output_tokens'),
    costUsd: known('cost_usd'),
    netTokens: known('net_tokens'),
    netUsd: known('net_usd'),
    projectedTokens: known('projected_tokens'),
    projectedUsd: known('projected_usd'),
    searches: count('searches'),
    droppedSearches: count('dropped_searches'),
    wrongGuesses: count('wrong_guesses'),
    refusedRounds: count('refused_rounds'),
  };
}
