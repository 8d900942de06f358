import type { SqlValue } from '../sql.ts';
import type { Failure } from './failure.ts';

/** `normal` survives the death of the process, `full` also a power cut: each commit waits for the disk. */
export type Durability = 'normal' | 'full';

/** A statement as SQLite prepares it, with `?` where the values stand. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** To the worker: statements that are run together, all or none. */
export interface Request {
  readonly id: number;
  readonly durability: Durability;
  readonly answer: 'rows' | 'changes';
  readonly statements: readonly BoundStatement[];
}

/** To the worker, as the last message: finish what came before, close the files, end. */
export interface CloseRequest {
  readonly type: 'close';
}

/** What the statements of one request did. */
export interface Answer {
  readonly type: 'answer';
  readonly id: number;
  /** The rows of all its statements, in order; none where `changes` were asked for. */
  readonly rows: readonly unknown[];
  /** How many rows its statements changed; 0 where `rows` were asked for. */
  readonly changes: number;
}

/** From the worker. */
export type Reply = Answer | { readonly type: 'failure'; readonly id: number; readonly failure: Failure };

/** The worker's first message. After `refused` it ends. */
export type Opening = { readonly type: 'opened' } | { readonly type: 'refused'; readonly failure: Failure };

/** `read` is for looking at the store of another process: it creates and changes nothing. */
export type Access = 'write' | 'read';

/** What a worker is started with. */
export interface WorkerData {
  readonly file: string;
  readonly access: Access;
}
