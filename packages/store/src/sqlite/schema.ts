import { agentMigrations } from './agent-schema.ts';
import type { Migration } from './migrations.ts';

/** The tables in the order they came. A released entry never changes: a change is a new entry at the end. */
export const sqliteMigrations: readonly Migration[] = [
  {
    name: '0001-threads',
    ddl: `
      create table thread (
        tenant text not null,
        session text not null,
        agent text not null,
        decision text not null,
        decided_at_ms integer not null,
        attempt text not null,
        last_used_at_ms integer not null,
        primary key (tenant, session, agent)
      ) strict, without rowid;
      create index thread_by_last_use on thread (last_used_at_ms);`,
  },
  {
    name: '0002-history',
    ddl: `
      create table session_history (
        tenant text not null,
        session text not null,
        project text not null,
        declared text not null,
        used text not null,
        last_activity_ms integer not null,
        primary key (tenant, session, project)
      ) strict, without rowid;
      create index session_history_by_last_activity on session_history (last_activity_ms);`,
  },
  {
    name: '0003-verdicts',
    ddl: `
      create table verdict (
        upstream text not null,
        model text not null,
        route text not null,
        verdict text not null check (verdict in ('pass', 'fail')),
        checked_at_ms integer not null,
        primary key (upstream, model, route)
      ) strict, without rowid;`,
  },
  {
    name: '0004-salt',
    ddl: `
      create table salt (
        id integer primary key check (id = 1),
        value text not null
      ) strict;
      insert into salt values (1, lower(hex(randomblob(32))));`,
  },
  {
    name: '0005-openings',
    ddl: `
      create table opening (
        tenant text not null,
        fingerprint text not null,
        decision text not null,
        last_used_at_ms integer not null,
        primary key (tenant, fingerprint)
      ) strict, without rowid;
      create index opening_by_last_use on opening (last_used_at_ms);`,
  },
  {
    name: '0006-plans',
    ddl: `
      create table plan (
        tenant text not null,
        fingerprint text not null,
        units text not null,
        made_at_ms integer not null,
        primary key (tenant, fingerprint)
      ) strict, without rowid;
      create index plan_by_age on plan (made_at_ms);`,
  },
  {
    name: '0007-turn-offs-and-opt-outs',
    ddl: `
      create table turn_off (
        tenant text not null,
        model text not null,
        started_at_ms integer not null,
        primary key (tenant, model)
      ) strict, without rowid;
      create index turn_off_by_start on turn_off (started_at_ms);
      create table opt_out (
        tenant text not null,
        session text not null,
        is_pending integer not null check (is_pending in (0, 1)),
        last_used_at_ms integer not null,
        primary key (tenant, session)
      ) strict, without rowid;
      create index opt_out_by_last_use on opt_out (last_used_at_ms);`,
  },
  {
    name: '0008-ledger',
    ddl: `
      create table request_record (
        id integer primary key autoincrement,
        tenant text not null,
        session text not null,
        agent text not null,
        project text not null,
        client text not null,
        model text not null,
        at_ms integer not null,
        status integer not null,
        decision text not null,
        reason text,
        input_tokens integer,
        cache_read_tokens integer,
        cache_write_short_tokens integer,
        cache_write_long_tokens integer,
        output_tokens integer,
        cost_usd real,
        net_tokens real,
        net_usd real,
        projected_tokens real,
        projected_usd real,
        searches integer not null,
        dropped_searches integer not null,
        wrong_guesses integer not null,
        refused_rounds integer not null,
        bytes integer not null,
        bytes_before integer not null
      ) strict;
      create index request_record_by_session on request_record (tenant, session, id);
      create index request_record_by_time on request_record (at_ms);
      create table ledger_sum (
        tenant text not null,
        day integer not null,
        name text not null,
        amount real not null,
        primary key (tenant, day, name)
      ) strict, without rowid;
      create table cache_entry (
        tenant text not null,
        arm text not null check (arm in ('deferred', 'undeferred')),
        hash text not null,
        tokens real not null,
        life_ms integer not null,
        ends_at_ms integer not null,
        primary key (tenant, arm, hash)
      ) strict, without rowid;
      create index cache_entry_by_end on cache_entry (ends_at_ms);`,
  },
  {
    name: '0009-settings',
    ddl: `
      create table account_settings (
        tenant text primary key not null,
        settings text not null,
        changed_at_ms integer not null
      ) strict, without rowid;`,
  },
  {
    name: '0010-search-turns',
    ddl: `
      create table search_turn (
        tenant text not null,
        anchor text not null,
        session text not null,
        agent text not null,
        turn text not null,
        last_used_at_ms integer not null,
        primary key (tenant, anchor)
      ) strict, without rowid;
      create index search_turn_by_thread on search_turn (tenant, session, agent);
      create index search_turn_by_last_use on search_turn (last_used_at_ms);`,
  },
  ...agentMigrations,
];
