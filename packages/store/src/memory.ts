import type { MemoryRecord, MemoryStore } from './agent-store.ts';
import type { Database } from './database.ts';
import type { FullText } from './full-text.ts';
import { isOfUser, ownName } from './owned-rows.ts';
import { sql } from './sql.ts';

interface MemoryRow {
  readonly id: string;
  readonly text: string;
  readonly remembered_at_ms: number;
}

/** What is remembered about users, over either engine. */
export function createMemoryStore(database: Database, fullText: FullText): MemoryStore {
  return {
    async save({ app, user }, { id, text, words, rememberedAtMs }) {
      await database.run(sql`
        insert into memory_entry (app, user_id, id, text, words, remembered_at_ms)
        values (${ownName(app)}, ${ownName(user)}, ${id}, ${text}, ${words}, ${rememberedAtMs})`);
    },

    async search(owner, words, limit) {
      if (words.length === 0) return [];
      return (await database.all<MemoryRow>(fullText.memories(owner, words, limit))).map(toRecord);
    },

    async list(owner) {
      const rows = await database.all<MemoryRow>(sql`
        select id, text, remembered_at_ms from memory_entry
        where ${isOfUser(owner)}
        order by remembered_at_ms desc, id`);
      return rows.map(toRecord);
    },

    async delete(owner, id) {
      const deleted = await database.run(sql`
        delete from memory_entry where ${isOfUser(owner)} and id = ${id}`);
      return deleted > 0;
    },
  };
}

function toRecord({ id, text, remembered_at_ms: rememberedAtMs }: MemoryRow): MemoryRecord {
  return { id, text, rememberedAtMs };
}
