import type { KnowledgeOwner, MemoryOwner } from './agent-store.ts';
import type { Sql } from './sql.ts';

/** What differs between the engines: how words are looked for and how the rows that have them are ranked. */
export interface FullText {
  /** Rows of `id, title, source, added_at_ms, text, score`, best first. */
  passages(owner: KnowledgeOwner, words: readonly string[], limit: number): Sql;
  /** Rows of `id, text, remembered_at_ms`, best first. */
  memories(owner: MemoryOwner, words: readonly string[], limit: number): Sql;
}
