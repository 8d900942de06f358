import type { DocumentRecord, KnowledgeOwner, KnowledgeStore } from './agent-store.ts';
import type { Database } from './database.ts';
import type { FullText } from './full-text.ts';
import { isOfOwner } from './owned-rows.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';

interface DocumentRow {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly added_at_ms: number;
}

interface PassageRow extends DocumentRow {
  readonly text: string;
  readonly score: number;
}

/** Documents and passages (S2) over either engine; triggers keep the index of words in step with the passages. */
export function createKnowledgeStore(database: Database, fullText: FullText): KnowledgeStore {
  return {
    async save(owner, { id, title, source, text, addedAtMs }, passages) {
      await database.batch([
        ...deleteDocument(owner, id),
        sql`
          insert into knowledge_document (app, owner_kind, owner, id, title, source, text, added_at_ms)
          values (${owner.app}, ${owner.kind}, ${owner.id}, ${id}, ${title}, ${source}, ${text}, ${addedAtMs})`,
        ...passages.map(
          (passage, place) => sql`
            insert into knowledge_passage (app, owner_kind, owner, document, place, text, words)
            values (${owner.app}, ${owner.kind}, ${owner.id}, ${id}, ${place}, ${passage.text}, ${passage.words})`,
        ),
      ]);
    },

    async search(owner, words, limit) {
      if (words.length === 0) return [];
      const rows = await database.all<PassageRow>(fullText.passages(owner, words, limit));
      return rows.map((row) => ({ document: toDocument(row), text: row.text, score: row.score }));
    },

    async list(owner) {
      const rows = await database.all<DocumentRow>(sql`
        select id, title, source, added_at_ms from knowledge_document
        where ${isOfOwner(owner)}
        order by added_at_ms desc, id`);
      return rows.map(toDocument);
    },

    async read(owner, id) {
      const [row] = await database.all<{ readonly text: string }>(sql`
        select text from knowledge_document
        where ${isOfOwner(owner)} and id = ${id}`);
      return row?.text;
    },

    async delete(owner, id) {
      return (await database.batch(deleteDocument(owner, id))) > 0;
    },
  };
}

function deleteDocument(owner: KnowledgeOwner, id: string): readonly Sql[] {
  return [
    sql`
      delete from knowledge_passage
      where ${isOfOwner(owner)} and document = ${id}`,
    sql`
      delete from knowledge_document
      where ${isOfOwner(owner)} and id = ${id}`,
  ];
}

function toDocument({ id, title, source, added_at_ms: addedAtMs }: DocumentRow): DocumentRecord {
  return { id, title, source, addedAtMs };
}
