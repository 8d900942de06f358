import type { Migration } from './migrations.ts';

/**
 * The tables of sessions, in the order they came. The hold of a turn stands in the session's own row, so that a fence is
 * one look at the row that every write of a turn touches. A session that goes takes its sub-sessions and all that is
 * theirs along. What is long stands last in a row: SQLite reads past none of it for the columns before.
 */
export const sessionMigrations: readonly Migration[] = [
  {
    name: '0013-sessions',
    ddl: `
      create table session (
        app text not null,
        user_id text not null,
        session text not null,
        title text not null,
        origin text not null,
        parent text,
        created_at_ms integer not null,
        updated_at_ms integer not null,
        input_tokens integer not null default 0,
        cache_read_tokens integer not null default 0,
        cache_write_tokens integer not null default 0,
        output_tokens integer not null default 0,
        cost_usd real not null default 0,
        unpriced_answers integer not null default 0,
        turn text,
        turn_owner text,
        turn_ends_at_ms integer,
        primary key (app, user_id, session),
        foreign key (app, user_id, parent) references session (app, user_id, session) on delete cascade,
        check ((turn is null) = (turn_owner is null) and (turn is null) = (turn_ends_at_ms is null))
      ) strict;
      create index session_by_last_use on session (app, user_id, updated_at_ms, session) where parent is null;
      create index session_by_parent on session (app, user_id, parent) where parent is not null;
      create table session_item (
        app text not null,
        user_id text not null,
        session text not null,
        position integer not null,
        id text not null,
        type text not null check (type in ('message', 'sub-session', 'summary', 'error')),
        at_ms integer not null,
        sub_session text,
        input_tokens integer not null default 0,
        cache_read_tokens integer not null default 0,
        cache_write_tokens integer not null default 0,
        output_tokens integer not null default 0,
        cost_usd real not null default 0,
        unpriced_answers integer not null default 0,
        body text not null,
        primary key (app, user_id, session, position),
        unique (app, user_id, session, id),
        foreign key (app, user_id, session) references session (app, user_id, session) on delete cascade
      ) strict;
      create table session_call (
        app text not null,
        user_id text not null,
        session text not null,
        item text not null,
        place integer not null,
        result text,
        primary key (app, user_id, session, item, place),
        foreign key (app, user_id, session, item)
          references session_item (app, user_id, session, id) on delete cascade
      ) strict;
      create table session_receipt (
        app text not null,
        user_id text not null,
        session text not null,
        request text not null,
        content_hash text not null,
        primary key (app, user_id, session, request),
        foreign key (app, user_id, session) references session (app, user_id, session) on delete cascade
      ) strict, without rowid;
      create trigger session_went after delete on session begin
        delete from session_plan where app = old.app and user_id = old.user_id and session = old.session;
        delete from session_task where app = old.app and user_id = old.user_id and session = old.session;
      end;`,
  },
  {
    name: '0014-tool-deferrals',
    ddl: `
      alter table session add column tool_deferrals text;
      alter table session add column tool_deferrals_aside text;
      create table tool_declaration (
        app text not null,
        user_id text not null,
        digest text not null,
        declaration text not null,
        primary key (app, user_id, digest)
      ) strict;
      create table session_declaration (
        app text not null,
        user_id text not null,
        session text not null,
        digest text not null,
        primary key (app, user_id, session, digest),
        foreign key (app, user_id, session) references session (app, user_id, session) on delete cascade,
        foreign key (app, user_id, digest) references tool_declaration (app, user_id, digest)
      ) strict, without rowid;
      create index session_declaration_by_digest on session_declaration (app, user_id, digest);
      create trigger session_declaration_went after delete on session_declaration begin
        delete from tool_declaration
        where app = old.app and user_id = old.user_id and digest = old.digest and not exists (
          select 1 from session_declaration
          where app = old.app and user_id = old.user_id and digest = old.digest);
      end;`,
  },
];
