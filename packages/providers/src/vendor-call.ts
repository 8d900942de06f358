import type { ModelEvent, ModelRequest } from './language-model.ts';
import type { ModelErrorCode } from './model-error.ts';

/** What one exchange with a vendor goes by. */
export interface Exchange {
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}

/** What a vendor's answer, or the lack of one, comes to. */
export interface Refusal {
  readonly code: ModelErrorCode;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** What the vendor said; may hold anything. */
  readonly said: string;
  /** Whether the vendor says that the same request may be tried again. */
  readonly isWorthRetrying: boolean;
}

/** How one vendor's API is spoken to. */
export interface VendorCall {
  /** One exchange: its events as they come, `finished` last. Throws what the SDK throws, or `AnswerError`. */
  events(request: ModelRequest, exchange: Exchange): AsyncIterable<ModelEvent>;
  /** Reads an error of the vendor's SDK; `undefined` for one that no answer of the vendor stands behind. */
  readRefusal(error: unknown): Refusal | undefined;
}

/** An answer that came with 200 and says that there is none, or that is not whole. */
export class AnswerError extends Error {
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, said: string) {
    super(said);
    this.code = code;
  }
}
