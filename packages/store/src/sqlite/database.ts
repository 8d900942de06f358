import { Worker } from 'node:worker_threads';
import type { Database } from '../database.ts';
import { sql, sqlText } from '../sql.ts';
import type { Sql } from '../sql.ts';
import { StoreError } from '../store-error.ts';
import type { Access, Answer, BoundStatement, Durability, Request, WorkerData } from './messages.ts';
import { whenOpened } from './running-worker.ts';
import type { RunningWorker } from './running-worker.ts';

/** A worker that ends is started again, but not more often than this, in ms: its cause is seldom gone at once. */
const restartPauseMs = 1_000;

/** Both connections to one file. */
export interface SqliteDatabase {
  /** The same tables either way; the durability is that of what it writes. */
  connection(durability: Durability): Database;
  /** Finishes what is under way. Twice is fine. */
  close(): Promise<void>;
}

/** What `openSqliteDatabase` is made of. */
export interface SqliteDatabaseOptions {
  readonly file: string;
  readonly access: Access;
  readonly clock: { now(): number };
  readonly startWorker?: (data: WorkerData) => Worker;
}

/** Opens or creates `file` in a worker thread of its own. Rejects with `StoreError`. */
export async function openSqliteDatabase(options: SqliteDatabaseOptions): Promise<SqliteDatabase> {
  const { file, access, clock, startWorker = startSqliteWorker } = options;
  const start = (): Promise<RunningWorker> => whenOpened(startWorker({ file, access }));
  let running = await start();
  let restart: { readonly startedAtMs: number; readonly worker: Promise<RunningWorker> } | undefined;
  let closing: Promise<void> | undefined;

  async function ask(request: Omit<Request, 'id'>): Promise<Answer> {
    if (closing !== undefined) throw closedError(file);
    if (running.hasEnded()) await startAgain();
    return await running.ask(request);
  }

  async function startAgain(): Promise<void> {
    const sinceMs = Math.abs(clock.now() - (restart?.startedAtMs ?? 0)); // a clock that jumps back must not lock us out (FA4)
    if (restart === undefined || sinceMs >= restartPauseMs) {
      restart = { startedAtMs: clock.now(), worker: start() };
    }
    running = await restart.worker;
  }

  async function close(): Promise<void> {
    await restart?.worker.then(
      (worker) => (running = worker),
      () => undefined, // its callers were told
    );
    if (!running.hasEnded()) await running.end();
  }

  return {
    connection: (durability) => createConnection((request) => ask({ ...request, durability })),
    close: () => (closing ??= close()),
  };
}

/** Sources run as they are, so the worker's file ends like this one's; the compiler does not rewrite a URL's text. */
function startSqliteWorker(workerData: WorkerData): Worker {
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js';
  return new Worker(new URL(file, import.meta.url), { workerData, name: 'quartermaster-store' });
}

function createConnection(
  ask: (request: Pick<Request, 'answer' | 'statements'>) => Promise<Answer>,
): Database {
  async function change(statements: readonly Sql[]): Promise<number> {
    if (statements.length === 0) return 0;
    return (await ask({ answer: 'changes', statements: statements.map(bind) })).changes;
  }

  return {
    nowMs: sql`cast(unixepoch('subsec') * 1000 as integer)`,
    async all<Row>(statement: Sql) {
      const { rows } = await ask({ answer: 'rows', statements: [bind(statement)] });
      return rows as readonly Row[]; // the caller wrote the statement and knows its columns
    },
    run: (statement) => change([statement]),
    batch: change,
  };
}

function bind(statement: Sql): BoundStatement {
  return { text: sqlText(statement, () => '?'), values: statement.values };
}

function closedError(file: string): StoreError {
  return new StoreError(
    'STORE_CLOSED',
    `Expected the store ${file} to be open; it was closed. Open it anew.`,
  );
}
