import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Catalog } from '@quartermaster/catalog';
import type { Store } from '@quartermaster/store';

/** What the gateway does with requests. `off` and `observe` forward byte for byte; `ultrahigh` defers tools. */
export type Preset = 'off' | 'observe' | 'ultrahigh';

/** Epoch milliseconds, UTC. */
export interface Clock {
  now(): number;
}

/** Where the gateway's lines go: facts first, then a sentence. No body, no secret, no prompt text is ever handed to it. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** No durable store, so nothing is deferred; `detail` is for the log. */
export interface AbsentStore {
  readonly absent: 'not-configured' | 'not-opened';
  readonly detail: string;
}

/** What bounds the memory and the waiting of one request. */
export interface GatewayLimits {
  /** Largest body of a request that the gateway reads, and of its decoded form. */
  readonly bodyBytes: number;
  /** How long a new thread's record may take to be durable (O1). */
  readonly claimMs: number;
  /** How long the read of a record may take at a first request, and with assistant turns in the transcript (O3). */
  readonly readMs: number;
  readonly rereadMs: number;
}

/** The limits that hold where `GatewayOptions` names none. */
export const defaultLimits: GatewayLimits = {
  bodyBytes: 32 * 1024 * 1024,
  claimMs: 50,
  readMs: 50,
  rereadMs: 2_000,
};

/** Everything that a gateway touches. */
export interface GatewayOptions {
  readonly preset: Preset;
  /** Base URLs of the providers; a trailing `/v1` is dropped. */
  readonly upstreams: { readonly anthropic: URL; readonly openai: URL; readonly gemini: URL };
  /** Its life is the maker's: the gateway does not close it. */
  readonly store: Store | AbsentStore;
  readonly catalog: Catalog;
  /** o200k tokens of a text. */
  readonly countTokens: (text: string) => number;
  readonly log: Log;
  readonly clock: Clock;
  /** Fresh, unguessable ids. */
  readonly ids: () => string;
  readonly limits?: Partial<GatewayLimits>;
  /** Tools (or `mcp__server`) that are never deferred (RU4). */
  readonly keep?: readonly string[];
  /** `off` switches deferral off for new threads (PR2). */
  readonly defer?: 'auto' | 'off';
  /**
   * The share (0–1) of the threads that would be deferred which stay as they are, so that both can be compared (LE6).
   * Default 0.
   */
  readonly holdoutShare?: number;
  /** Whether clients may send signals (SG3). Default `on`. */
  readonly clientSignals?: 'on' | 'off';
  /** History, records and verdicts live so long after their last use. Default 30. */
  readonly retentionDays?: number;
  /** Opens the admin routes off loopback; without it they answer 401 there. */
  readonly adminToken?: string;
}

/** The listeners of one `http.createServer`, and the end of the gateway's life. */
export interface Gateway {
  /** Resolves when history and verdicts are loaded; open the port after it. Never rejects: what can't be loaded is logged. */
  readonly ready: Promise<void>;
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** For the server's `checkContinue` event: a body that will be refused is never asked for. */
  readonly checkContinue: (request: IncomingMessage, response: ServerResponse) => void;
  /** For the server's `upgrade` event: answers 426, and clients fall back to HTTP. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Resolves when the answers that have ended so far are booked in the ledger and written. */
  settled(): Promise<void>;
  /** Writes what is still in memory and lets go of connections. Twice is fine. */
  close(): Promise<void>;
}
