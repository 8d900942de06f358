import type { FullText } from '../full-text.ts';
import { isOfOwner, isOfUser } from '../owned-rows.ts';
import { sql } from '../sql.ts';
import type { Sql } from '../sql.ts';

/**
 * FTS5 finds the rows, and the rank is ours: that of FTS5 (`bm25`) goes by how often a word stands in the texts of all
 * owners, so that what one of them knows would move, and show in, the answers of another. Equal ranks stand in the order
 * of their ids, so that an answer repeats.
 */
export const sqliteFullText: FullText = {
  passages: (owner, words, limit) => sql`
    select d.id, d.title, d.source, d.added_at_ms, p.text, ranked.score
    from (${rank(words, {
      index: sql`knowledge_words`,
      entries: sql`
        select passage as entry, words from knowledge_passage
        where ${isOfOwner(owner)}`,
    })}) as ranked
      join knowledge_passage as p on p.passage = ranked.entry
      join knowledge_document as d
        on d.app = p.app and d.owner_kind = p.owner_kind and d.owner = p.owner and d.id = p.document
    order by ranked.score desc, d.id, p.place
    limit ${limit}`,

  memories: (owner, words, limit) => sql`
    select m.id, m.text, m.remembered_at_ms
    from (${rank(words, {
      index: sql`memory_words`,
      entries: sql`select entry, words from memory_entry where ${isOfUser(owner)}`,
    })}) as ranked
      join memory_entry as m on m.entry = ranked.entry
    order by ranked.score desc, m.remembered_at_ms desc, m.id
    limit ${limit}`,
};

/**
 * The entries that have one of the words, with their score: BM25 with the usual k1 = 1.2 and b = 0.75, and a weight of
 * words that never falls below 0, over the entries of one owner. A word is a string of FTS5's own language, in which it has
 * no meaning but itself. One that FTS5 found by its letters alone, without their accents, stands there once.
 */
function rank(
  words: readonly string[],
  { index, entries }: { readonly index: Sql; readonly entries: Sql },
): Sql {
  const json = JSON.stringify(words.map((word) => word.replaceAll('\u0000', ' '))); // a NUL would end the query
  return sql`
    with mine as not materialized (
        select entry, ' ' || words || ' ' as padded from (${entries})),
      hit as materialized (
        select word.value as word, entry, ${times(sql`padded`, sql`' '`)} - 1 as size,
          max(1.0, ${times(sql`padded`, sql`' ' || word.value || ' '`)}) as times
        from json_each(${json}) as word cross join ${index} cross join mine
        where ${index} match '"' || replace(word.value, '"', '""') || '"' and entry = ${index}.rowid),
      weight as (
        select word, ln(1 + ((select count(*) from mine) - count(*) + 0.5) / (count(*) + 0.5)) as weight
        from hit group by word)
    select entry, sum(
        weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * size / (select avg(size) from hit)))) as score
    from hit join weight using (word)
    group by entry`;
}

/** How often a part that is not empty stands in a text, both as expressions. */
function times(text: Sql, part: Sql): Sql {
  return sql`(octet_length(${text}) - octet_length(replace(${text}, ${part}, ''))) / octet_length(${part})`;
}
