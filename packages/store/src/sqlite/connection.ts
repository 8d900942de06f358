import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { isBusy } from './failure.ts';
import type { BoundStatement, Durability } from './messages.ts';

/** How long a connection waits for another process's lock, in ms. */
export const lockWaitMs = 5_000;

/** One write transaction that waits for the lock may hold up the reads of this process for so long, in ms. */
const lockWaitSliceMs = 10;

/** Statements kept prepared on a connection; the whole store has some dozens of texts. */
const maxPrepared = 256;

/** A connection to the file, in the worker thread. Everything on it blocks the thread. */
export interface Connection {
  readonly file: string;
  readonly database: DatabaseSync;
  rows(statement: BoundStatement): readonly unknown[];
  changes(statement: BoundStatement): number;
  /** Takes the write lock, or throws SQLITE_BUSY after a short wait, so that reads can pass before the next attempt. */
  begin(): void;
  /** Twice is fine. */
  close(): void;
}

/** Opens `file`, which exists, to write. Its tables may be missing still. */
export function openConnection(file: string, durability: Durability): Connection {
  const database = new DatabaseSync(file, { timeout: lockWaitMs });
  try {
    setUp(database, durability);
  } catch (error) {
    database.close();
    throw error;
  }
  return createConnection(file, database);
}

/** Opens `file` to look only: nothing of it changes, not even the kind of its log. A write is SQLITE_READONLY. */
export function openReadConnection(file: string): Connection {
  return createConnection(file, new DatabaseSync(file, { readOnly: true, timeout: lockWaitMs }));
}

function createConnection(file: string, database: DatabaseSync): Connection {
  const prepared = new Map<string, StatementSync>();

  function prepare(text: string): StatementSync {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.delete(text);
    prepared.set(text, statement); // most recently used last
    const [oldest] = prepared.keys();
    if (prepared.size > maxPrepared && oldest !== undefined) prepared.delete(oldest);
    return statement;
  }

  return {
    file,
    database,
    rows: ({ text, values }) => prepare(text).all(...values),
    changes: ({ text, values }) => Number(prepare(text).run(...values).changes),
    begin() {
      database.exec(`pragma busy_timeout = ${lockWaitSliceMs}`);
      try {
        database.exec('begin immediate');
      } finally {
        database.exec(`pragma busy_timeout = ${lockWaitMs}`);
      }
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

/** `journal_size_limit` gives back the disk that one large transaction took for the log (FA5). */
function setUp(database: DatabaseSync, durability: Durability): void {
  switchToWal(database);
  database.exec(`
    pragma synchronous = ${durability};
    pragma journal_size_limit = ${64 * 1024 * 1024};
    pragma foreign_keys = on;
    pragma trusted_schema = off;`);
}

/** Two processes that switch a new file at once get SQLITE_BUSY without a wait, since a wait could not end. */
function switchToWal(database: DatabaseSync): void {
  const untilMs = performance.now() + lockWaitMs;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= untilMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
