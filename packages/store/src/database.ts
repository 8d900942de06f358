import type { Sql } from './sql.ts';

/**
 * The seam between the groups of tables and an engine. There is no interactive transaction: awaits of two callers
 * would interleave on one connection. What resolved is durable; what rejected with `StoreError` left no trace, except
 * that a loss of the engine itself (`STORE_FAILED`) leaves open whether the statements under way were committed.
 */
export interface Database {
  /** The engine's own clock as an expression: epoch ms, read when the statement runs, after any wait for a lock. */
  readonly nowMs: Sql;
  /** The rows of one statement, which may write (`… returning`). Contract: a text that begins with `select` only reads. */
  all<Row>(statement: Sql): Promise<readonly Row[]>;
  /** Runs one statement and answers how many rows it changed. */
  run(statement: Sql): Promise<number>;
  /** Runs the statements in order in one transaction, all or none; answers how many rows they changed together. */
  batch(statements: readonly Sql[]): Promise<number>;
}
