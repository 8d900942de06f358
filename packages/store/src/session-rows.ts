import type { SessionKey } from './agent-store.ts';
import type { SessionItem, SessionRecord, SessionTotals, StoredItem } from './session-store.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';

/** What was spent, as columns. */
interface SpentRow {
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  readonly unpriced_answers: number;
}

/** The columns of `sessionColumns`. */
export interface SessionRow extends SpentRow {
  readonly session: string;
  readonly title: string;
  readonly origin: string;
  readonly parent: string | null;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

/** The columns of `itemColumns`. */
export interface ItemRow {
  readonly position: number;
  readonly id: string;
  readonly type: SessionItem['type'];
  readonly body: string;
  readonly at_ms: number;
  readonly sub_session: string | null;
}

/** What was spent: of an item by itself, of a session by it and its sub-sessions. */
export const spentColumns: Sql = sql`
  input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd, unpriced_answers`;

/** Of a session's row what `toRecord` needs. */
export const sessionColumns: Sql = sql`
  session, title, origin, parent, created_at_ms, updated_at_ms, ${spentColumns}`;

/** Of an item's row what `toItem` needs. */
export const itemColumns: Sql = sql`position, id, type, body, at_ms, sub_session`;

/** What was spent where nothing was. */
export const nothingSpent: SessionTotals = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  unpricedAnswers: 0,
};

/** The session as its callers know it. */
export function toRecord({ app, user }: Pick<SessionKey, 'app' | 'user'>, row: SessionRow): SessionRecord {
  return {
    app,
    user,
    session: row.session,
    title: row.title,
    origin: row.origin,
    parent: row.parent ?? undefined,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    totals: {
      inputTokens: row.input_tokens,
      cacheReadTokens: row.cache_read_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      outputTokens: row.output_tokens,
      costUsd: row.cost_usd,
      unpricedAnswers: row.unpriced_answers,
    },
  };
}

/** The item as its callers know it. */
export function toItem({
  position,
  id,
  type,
  body,
  at_ms: atMs,
  sub_session: subSession,
}: ItemRow): StoredItem {
  return { position, id, type, body, atMs, ...(subSession !== null && { subSession }) };
}
