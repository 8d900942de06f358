import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { migrate, refuseUnknown } from '../src/sqlite/migrations.ts';
import type { Migration } from '../src/sqlite/migrations.ts';
import { sqliteMigrations } from '../src/sqlite/schema.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

const first: Migration = { name: '0001-first', ddl: 'create table first (id integer) strict' };
const second: Migration = { name: '0002-second', ddl: 'create table second (id integer) strict' };
const broken: Migration = {
  name: '0002-second',
  ddl: 'create table second (id integer) strict; insert into nowhere values (1)',
};

test('RS1: migrations are applied in order, each once, and recorded by name', () => {
  using database = new DatabaseSync(':memory:');
  migrate(database, [first]);
  database.exec('insert into first values (7)');
  migrate(database, [first, second]);
  migrate(database, [first, second]);
  expect(tables(database)).toEqual(['first', 'migration', 'second']);
  expect(database.prepare('select name from migration').all()).toEqual([
    { name: '0001-first' },
    { name: '0002-second' },
  ]);
  expect(database.prepare('select id from first').all()).toEqual([{ id: 7 }]);
});

test('RS1: a migration that fails half-way leaves nothing of itself, and can be repeated', () => {
  using database = new DatabaseSync(':memory:');
  expect(() => migrate(database, [first, broken])).toThrow('nowhere');
  expect(tables(database)).toEqual(['first', 'migration']);
  expect(database.prepare('select name from migration').all()).toEqual([{ name: '0001-first' }]);
  migrate(database, [first, second]);
  expect(tables(database)).toEqual(['first', 'migration', 'second']);
});

test('RS1: a migration that another process applies in between is not applied again', async () => {
  await using folder = await createTemporaryFolder();
  using ours = new DatabaseSync(join(folder.path, 'test.db'));
  using theirs = new DatabaseSync(join(folder.path, 'test.db'));
  const overtaken: Migration = {
    ...first,
    get name() {
      migrate(theirs, [first]); // after our look at the names, before our lock
      return first.name;
    },
  };
  migrate(ours, [overtaken]);
  expect(tables(ours)).toEqual(['first', 'migration']);
});

test('RS1: a migration holds the write lock before it looks, so that nobody can come between', async () => {
  await using folder = await createTemporaryFolder();
  using ours = new DatabaseSync(join(folder.path, 'test.db'));
  using theirs = new DatabaseSync(join(folder.path, 'test.db'));
  ours.exec('pragma journal_mode = wal');
  const contested: Migration = {
    ...first,
    get ddl() {
      expect(() => theirs.exec('create table theirs (id integer)')).toThrow('locked');
      return first.ddl;
    },
  };
  migrate(ours, [contested]);
  expect(tables(ours)).toEqual(['first', 'migration']);
});

test('RS2: a store with a migration of a later version, or of another program, is refused; a known or empty one is not', () => {
  using database = new DatabaseSync(':memory:');
  refuseUnknown(database, [first]);
  migrate(database, [first, second]);
  refuseUnknown(database, [first, second]);
  expect(() => refuseUnknown(database, [first])).toThrow(/up to "0001-first".*"0002-second"/);
  using foreign = new DatabaseSync(':memory:');
  foreign.exec('create table bookmark (url text)');
  expect(() => refuseUnknown(foreign, [first])).toThrow(/bookmark/);
});

test('every table is STRICT, and no two migrations share a name', () => {
  using database = new DatabaseSync(':memory:');
  migrate(database, sqliteMigrations);
  expect(
    database
      .prepare(
        `select name from pragma_table_list where schema = 'main' and type = 'table' and not strict and name not like 'sqlite_%'`,
      )
      .all(),
  ).toEqual([]);
  expect(new Set(sqliteMigrations.map(({ name }) => name)).size).toBe(sqliteMigrations.length);
});

function tables(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare(`select name from sqlite_schema where type = 'table' order by name`)
    .all()
    .map(({ name }) => name);
}
