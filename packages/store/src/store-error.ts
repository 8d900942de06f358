/** What an error of this package means to whoever has to answer for it. */
export interface StoreErrorTraits {
  /** The HTTP status for a server that can't go on without the store. */
  readonly status: number;
  readonly fault: 'operator' | 'store' | 'caller';
  /** Whether the same call may succeed later with nothing changed. */
  readonly retryable: boolean;
}

/** Every code of `StoreError`. */
export const storeErrors = {
  /** The folder can't be made or used: a file stands in its place, or a part of its path does not allow it. */
  STORE_BAD_FOLDER: { status: 500, fault: 'operator', retryable: false },
  /** Opened to read, and there is none. */
  STORE_MISSING: { status: 500, fault: 'operator', retryable: false },
  /** The folder or a file in it can't be written, or the store was opened to read. */
  STORE_READ_ONLY: { status: 500, fault: 'operator', retryable: false },
  /** SQLite's locks and shared memory do not hold on this file system. */
  STORE_NETWORK_FILE_SYSTEM: { status: 500, fault: 'operator', retryable: false },
  /** The file is damaged, or not a database (RS2). */
  STORE_UNREADABLE: { status: 500, fault: 'operator', retryable: false },
  /** The file is a database of another program (RS2). */
  STORE_FOREIGN: { status: 500, fault: 'operator', retryable: false },
  /** A later version of this program wrote the store (RS2). */
  STORE_NEWER: { status: 500, fault: 'operator', retryable: false },
  /** Opened to read, and an earlier version wrote it: it must be opened to write once. */
  STORE_OLDER: { status: 500, fault: 'operator', retryable: false },
  /** No space left. */
  STORE_FULL: { status: 503, fault: 'operator', retryable: true },
  /** Another process held the lock for longer than the wait, or too many calls wait already. */
  STORE_BUSY: { status: 503, fault: 'store', retryable: true },
  /** The turn that wrote does not hold its session: another took it, it ended, or the session was deleted (L1). */
  STORE_TURN_LOST: { status: 409, fault: 'caller', retryable: false },
  /** What was to be written contradicts what is there: an id that is taken, or that names nothing. */
  STORE_CONFLICT: { status: 409, fault: 'caller', retryable: false },
  /** A name that holds half a character. */
  STORE_BAD_NAME: { status: 400, fault: 'caller', retryable: false },
  /** A position that is not in the session. */
  STORE_BAD_POSITION: { status: 400, fault: 'caller', retryable: false },
  /** The engine failed or went away; it is opened again at a later call. */
  STORE_FAILED: { status: 503, fault: 'store', retryable: true },
  /** `close()` was called before. */
  STORE_CLOSED: { status: 503, fault: 'caller', retryable: false },
} as const satisfies Record<string, StoreErrorTraits>;

/** A row of `storeErrors`. */
export type StoreErrorCode = keyof typeof storeErrors;

/** The one error of this package. The message says what was expected, what came and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
