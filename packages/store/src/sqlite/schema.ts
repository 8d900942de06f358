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
  ...agentMigrations,
];
