import { StoreError } from '../store-error.ts';
import type { StoreErrorCode } from '../store-error.ts';

/** A failure on its way between threads: structured clone keeps no class and no `code`. */
export interface Failure {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly cause: unknown;
}

/** SQLite's primary result codes (sqlite.org/rescode.html) that mean something else than `STORE_FAILED`. */
const codes: ReadonlyMap<number, StoreErrorCode> = new Map([
  [5, 'STORE_BUSY'], // SQLITE_BUSY
  [6, 'STORE_BUSY'], // SQLITE_LOCKED
  [8, 'STORE_READ_ONLY'], // SQLITE_READONLY
  [11, 'STORE_UNREADABLE'], // SQLITE_CORRUPT
  [13, 'STORE_FULL'], // SQLITE_FULL
  [19, 'STORE_CONFLICT'], // SQLITE_CONSTRAINT
  [26, 'STORE_UNREADABLE'], // SQLITE_NOTADB
]);

const advice: Readonly<Partial<Record<StoreErrorCode, string>>> = {
  STORE_BUSY: 'Another process held its lock for too long. Find out which has it open, or try again.',
  STORE_READ_ONLY: 'It must be writable. Check its owner and permissions, or choose another folder.',
  STORE_UNREADABLE:
    'It is damaged or not a database, and was left as it is. Put back a copy, or move it away to begin anew.',
  STORE_FULL: 'Its disk is full. Make room.',
  STORE_CONFLICT: 'Nothing was written. Read what is there, and write something that fits it.',
};

/** What SQLite or this package threw, made ready for the other thread. */
export function toFailure(error: unknown, file: string): Failure {
  if (error instanceof StoreError) return { code: error.code, message: error.message, cause: error.cause };
  const code = codes.get(primaryCode(error) ?? -1) ?? 'STORE_FAILED';
  const reason = error instanceof Error ? error.message : String(error);
  const next = advice[code] ?? 'Check the disk and the file.';
  return { code, message: `The store ${file} failed: ${reason}. ${next}`, cause: error };
}

/** The failure as the error it was. */
export function toStoreError({ code, message, cause }: Failure): StoreError {
  return new StoreError(code, message, { cause });
}

/** Whether another connection's lock was in the way. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5;
}

/** The low byte of an extended result code is the primary one. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}
