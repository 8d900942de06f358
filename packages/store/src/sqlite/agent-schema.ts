import type { Migration } from './migrations.ts';

/**
 * The tables of agents, in the order they came. The words of a passage stand in its table, and triggers keep the index
 * in step, so that the statements know nothing of FTS5. A passage that goes takes its words out of the index first.
 */
export const agentMigrations: readonly Migration[] = [
  {
    name: '0010-knowledge',
    ddl: `
      create table knowledge_document (
        app text not null,
        owner_kind text not null check (owner_kind in ('project', 'user')),
        owner text not null,
        id text not null,
        title text not null,
        source text not null,
        text text not null,
        added_at_ms integer not null,
        primary key (app, owner_kind, owner, id)
      ) strict, without rowid;
      create table knowledge_passage (
        passage integer primary key,
        app text not null,
        owner_kind text not null,
        owner text not null,
        document text not null,
        place integer not null,
        text text not null,
        words text not null,
        unique (app, owner_kind, owner, document, place),
        foreign key (app, owner_kind, owner, document) references knowledge_document (app, owner_kind, owner, id)
      ) strict;
      create virtual table knowledge_words using fts5 (
        words, content = 'knowledge_passage', content_rowid = 'passage', tokenize = 'unicode61 remove_diacritics 2');
      create trigger knowledge_passage_came after insert on knowledge_passage begin
        insert into knowledge_words (rowid, words) values (new.passage, new.words);
      end;
      create trigger knowledge_passage_went after delete on knowledge_passage begin
        insert into knowledge_words (knowledge_words, rowid, words) values ('delete', old.passage, old.words);
      end;`,
  },
  {
    name: '0011-memory',
    ddl: `
      create table memory_entry (
        entry integer primary key,
        app text not null,
        user_id text not null,
        id text not null,
        text text not null,
        words text not null,
        remembered_at_ms integer not null,
        unique (app, user_id, id)
      ) strict;
      create virtual table memory_words using fts5 (
        words, content = 'memory_entry', content_rowid = 'entry', tokenize = 'unicode61 remove_diacritics 2');
      create trigger memory_entry_came after insert on memory_entry begin
        insert into memory_words (rowid, words) values (new.entry, new.words);
      end;
      create trigger memory_entry_went after delete on memory_entry begin
        insert into memory_words (memory_words, rowid, words) values ('delete', old.entry, old.words);
      end;`,
  },
  {
    name: '0012-tasks',
    ddl: `
      create table session_plan (
        app text not null,
        user_id text not null,
        session text not null,
        plan text not null,
        primary key (app, user_id, session)
      ) strict, without rowid;
      create table session_task (
        app text not null,
        user_id text not null,
        session text not null,
        place integer not null,
        title text not null,
        status text not null check (status in ('pending', 'in-progress', 'done')),
        primary key (app, user_id, session, place)
      ) strict, without rowid;`,
  },
];
