import { DatabaseSync } from 'node:sqlite';
import type { Database } from '../src/database.ts';
import { sql, sqlText } from '../src/sql.ts';
import type { Sql } from '../src/sql.ts';
import { migrate } from '../src/sqlite/migrations.ts';
import { sqliteMigrations } from '../src/sqlite/schema.ts';

/** An empty store in memory. */
export function createTables(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  migrate(database, sqliteMigrations);
  return database;
}

/** The tables as the engine hands them out, in this thread; `now` stands for the engine's own clock. */
export function inProcess(tables: DatabaseSync, now: () => number = () => 0): Database {
  const bind = (statement: Sql) => tables.prepare(sqlText(statement, () => '?'));
  const run = (statement: Sql): number => Number(bind(statement).run(...statement.values).changes);
  return {
    get nowMs() {
      return sql`${now()}`;
    },
    async all<Row>(statement: Sql) {
      const rows: readonly unknown[] = bind(statement).all(...statement.values);
      return rows as readonly Row[]; // the caller wrote the statement and knows its columns
    },
    run: async (statement) => run(statement),
    async batch(statements) {
      tables.exec('begin');
      try {
        const changes = statements.reduce((sum, statement) => sum + run(statement), 0);
        tables.exec('commit');
        return changes;
      } catch (error) {
        tables.exec('rollback');
        throw error;
      }
    },
  };
}
