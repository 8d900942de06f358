import { ProviderError } from './provider-error.ts';
import type { ProviderErrorCode } from './provider-error.ts';

/** The codes of a call to a model. */
export type ModelErrorCode = Exclude<ProviderErrorCode, 'PROVIDER_LISTING_FAILED' | 'PROVIDER_MISCONFIGURED'>;

/** What is known of a call that failed; nothing in it comes from the prompt. */
export interface ModelFailure {
  readonly code: ModelErrorCode;
  readonly provider: string;
  readonly model: string;
  /** HTTP status; absent where no answer came or the failure came inside one. */
  readonly status?: number;
  /** By which the vendor finds the call. */
  readonly requestId?: string;
  /** How long the vendor wants to be left alone. */
  readonly retryAfterMs?: number;
}

/** A call to a model that failed, after all retries that there were (R1, RP2). Without a cause: see `describeFailure`. */
export class ModelError extends ProviderError implements ModelFailure {
  override readonly name: string = 'ModelError';
  declare readonly code: ModelErrorCode;
  readonly provider: string;
  readonly model: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfterMs?: number;

  constructor(failure: ModelFailure, message: string) {
    super(failure.code, message);
    this.provider = failure.provider;
    this.model = failure.model;
    if (failure.status !== undefined) this.status = failure.status;
    if (failure.requestId !== undefined) this.requestId = failure.requestId;
    if (failure.retryAfterMs !== undefined) this.retryAfterMs = failure.retryAfterMs;
  }
}
