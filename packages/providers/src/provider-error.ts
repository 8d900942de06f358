/** What an error of this package means to whoever has to answer for it. */
export interface ProviderErrorTraits {
  /** The HTTP status for a server that can't go on. */
  readonly status: number;
  readonly fault: 'operator' | 'upstream';
  /** Whether the same call may succeed later with nothing changed. */
  readonly retryable: boolean;
}

/** Every code of `ProviderError`. */
export const providerErrors = {
  /** A provider did not say which models it has. */
  PROVIDER_LISTING_FAILED: { status: 502, fault: 'upstream', retryable: true },
} as const satisfies Record<string, ProviderErrorTraits>;

/** A row of `providerErrors`. */
export type ProviderErrorCode = keyof typeof providerErrors;

/** The one error of this package. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;

  constructor(code: ProviderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
