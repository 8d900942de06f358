import { closeSync, openSync, statSync } from 'node:fs';
import { StoreError } from '../store-error.ts';

/**
 * Creates `file` empty and readable by its owner only; SQLite gives its log and shared memory the same permissions.
 * A file that exists is never opened here: closing it again would drop the locks that SQLite holds on it in this
 * process (sqlite.org/howtocorrupt.html, 2.2).
 */
export function createFile(file: string): void {
  refuseOrphanLog(file);
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!isFileError(error, 'EEXIST')) throw error;
  }
}

/**
 * A log beside an empty or missing database holds what was lost with it; SQLite would delete it and begin anew (RS2).
 * The log is looked at first: another process that is creating the store writes the database before the log.
 */
function refuseOrphanLog(file: string): void {
  if (sizeOf(`${file}-wal`) === 0 || sizeOf(file) > 0) return;
  throw new StoreError(
    'STORE_UNREADABLE',
    `Expected a database beside its log ${file}-wal; ${file} is empty or missing. The log was left as it is. ` +
      'Put the database back, or move the log away to begin anew.',
  );
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether `error` is one of Node's file errors with this code. */
export function isFileError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
