import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store-error.ts';

/** One step forward; there is none back. */
export interface Migration {
  readonly name: string;
  readonly ddl: string;
}

/**
 * Brings the tables to the last of `migrations`, each in one transaction with the record of its name, so that a death
 * half-way leaves the step before. Several processes may do it at once: whoever waited for the lock finds the work done.
 */
export function migrate(database: DatabaseSync, migrations: readonly Migration[]): void {
  database.exec(`
    create table if not exists migration (
      name text primary key not null,
      applied_at_ms integer not null
    ) strict`);
  const applied = new Set(appliedNames(database));
  for (const migration of migrations) {
    if (!applied.has(migration.name)) apply(database, migration);
  }
}

/** Throws when the tables are another program's or a later version's (RS2). Only reads. */
export function refuseUnknown(database: DatabaseSync, migrations: readonly Migration[]): void {
  const tables = tableNames(database);
  const [first] = tables;
  if (first === undefined) return;
  if (!tables.includes('migration')) throw foreign(first);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = appliedNames(database).filter((name) => !known.has(name));
  if (unknown.length > 0) throw newer(unknown, migrations);
}

/** Throws when a migration is still to come: whoever only reads can't apply it. */
export function refuseOlder(database: DatabaseSync, migrations: readonly Migration[]): void {
  const applied = tableNames(database).includes('migration') ? appliedNames(database) : [];
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  if (missing.length === 0) return;
  throw new StoreError(
    'STORE_OLDER',
    `Expected a store up to "${missing.at(-1)?.name}"; this one lacks ${missing.length} of its migrations. ` +
      'Start the gateway of this version on it once.',
  );
}

function foreign(table: string): StoreError {
  return new StoreError(
    'STORE_FOREIGN',
    `Expected a store of Quartermaster or no file; the file has the tables of another program (${table}, …). ` +
      'It was left as it is. Choose another folder.',
  );
}

function newer(unknown: readonly string[], migrations: readonly Migration[]): StoreError {
  return new StoreError(
    'STORE_NEWER',
    `Expected a store up to "${migrations.at(-1)?.name}"; this one has "${unknown.join('", "')}" of a later version. ` +
      'It was left as it is. Update this program, or choose another folder.',
  );
}

function apply(database: DatabaseSync, migration: Migration): void {
  database.exec('begin immediate');
  try {
    if (!appliedNames(database).includes(migration.name)) {
      database.exec(migration.ddl);
      database
        .prepare(`insert into migration values (?, cast(unixepoch('subsec') * 1000 as integer))`)
        .run(migration.name);
    }
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function tableNames(database: DatabaseSync): readonly string[] {
  return database
    .prepare(`select name from sqlite_schema where type = 'table' order by name`)
    .all()
    .map(({ name }) => String(name));
}

function appliedNames(database: DatabaseSync): readonly string[] {
  return database
    .prepare('select name from migration order by name')
    .all()
    .map(({ name }) => String(name));
}
