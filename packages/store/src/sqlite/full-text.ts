import type { FullText } from '../full-text.ts';
import { sql } from '../sql.ts';

/** FTS5: `bm25` is the lower the better. Equal ranks stand in the order of their ids, so that an answer repeats. */
export const sqliteFullText: FullText = {
  passages: ({ app, kind, id }, words, limit) => sql`
    select d.id, d.title, d.source, d.added_at_ms, p.text, -bm25(knowledge_words) as score
    from knowledge_words
      join knowledge_passage as p on p.passage = knowledge_words.rowid
      join knowledge_document as d
        on d.app = p.app and d.owner_kind = p.owner_kind and d.owner = p.owner and d.id = p.document
    where knowledge_words match ${anyOf(words)}
      and p.app = ${app} and p.owner_kind = ${kind} and p.owner = ${id}
    order by score desc, d.id, p.place
    limit ${limit}`,

  memories: ({ app, user }, words, limit) => sql`
    select m.id, m.text, m.remembered_at_ms
    from memory_words join memory_entry as m on m.entry = memory_words.rowid
    where memory_words match ${anyOf(words)} and m.app = ${app} and m.user_id = ${user}
    order by bm25(memory_words), m.remembered_at_ms desc, m.id
    limit ${limit}`,
};

/** Each word as a string of FTS5's own language, in which it has no meaning but itself; a NUL would end the query. */
function anyOf(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('\u0000', ' ').replaceAll('"', '""')}"`).join(' OR ');
}
