/** What an error of this package means to whoever has to answer for it. */
export interface ProviderErrorTraits {
  /** The HTTP status for a server that can't go on. */
  readonly status: number;
  readonly fault: 'application' | 'operator' | 'upstream';
  /** Whether the same call may succeed later with nothing changed. */
  readonly retryable: boolean;
}

/** Every code of `ProviderError`. */
export const providerErrors = {
  /** A provider did not say which models it has. */
  PROVIDER_LISTING_FAILED: { status: 502, fault: 'upstream', retryable: true },
  /** A model that can't be made of what was given. */
  PROVIDER_MISCONFIGURED: { status: 500, fault: 'operator', retryable: false },
  /** Too many requests or tokens for now. */
  PROVIDER_RATE_LIMITED: { status: 429, fault: 'upstream', retryable: true },
  /** The provider has no capacity, or failed inside. */
  PROVIDER_OVERLOADED: { status: 503, fault: 'upstream', retryable: true },
  /** No connection, or no answer through it. */
  PROVIDER_UNREACHABLE: { status: 502, fault: 'upstream', retryable: true },
  /** Not a byte came for as long as the deadline says. */
  PROVIDER_SILENT: { status: 504, fault: 'upstream', retryable: true },
  /** The answer ended before it was whole, or was none that can be read. */
  PROVIDER_STREAM_BROKEN: { status: 502, fault: 'upstream', retryable: true },
  /** Prompt and answer are more than the model can hold. */
  PROVIDER_CONTEXT_OVERFLOW: { status: 413, fault: 'application', retryable: false },
  /** The provider does not take what was asked as it was asked. */
  PROVIDER_BAD_REQUEST: { status: 500, fault: 'application', retryable: false },
  /** The provider will not answer this prompt. */
  PROVIDER_REFUSED: { status: 422, fault: 'application', retryable: false },
  /** The key is not known, or may not do this. */
  PROVIDER_NOT_AUTHORISED: { status: 502, fault: 'operator', retryable: false },
  /** The account has no money or allowance left. */
  PROVIDER_QUOTA_SPENT: { status: 502, fault: 'operator', retryable: false },
  /** The provider has no such model, or not for this key. */
  PROVIDER_MODEL_NOT_FOUND: { status: 502, fault: 'operator', retryable: false },
} as const satisfies Record<string, ProviderErrorTraits>;

/** A row of `providerErrors`. */
export type ProviderErrorCode = keyof typeof providerErrors;

/** The base of every error of this package. */
export class ProviderError extends Error {
  override readonly name: string = 'ProviderError';
  readonly code: ProviderErrorCode;

  constructor(code: ProviderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
