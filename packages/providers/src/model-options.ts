import type { Secret } from '@quartermaster/agent/settings';
import type { Catalog } from '@quartermaster/catalog';

/** How long and how often a call is tried. */
export interface CallTerms {
  /** Further tries after the first, until the first event was given (R1). */
  readonly maxRetries: number;
  /** A vendor that asks for a longer pause is not waited for: the call fails with its `retryAfterMs`. */
  readonly maxRetryDelayMs: number;
  /**
   * How long not a byte may come. Node's own `fetch` gives up after 300 s whatever stands here; a longer silence needs
   * a `fetch` that allows it.
   */
  readonly maxSilenceMs: number;
}

/** Two retries as in the vendors' SDKs; a reasoning model may say nothing for minutes. */
export const defaultCallTerms: CallTerms = {
  maxRetries: 2,
  maxRetryDelayMs: 60_000,
  maxSilenceMs: 240_000,
};

/** The most that a timer takes: the deadline for silence is ours, and no SDK's is to come before it. */
export const longestTimeoutMs = 2 ** 31 - 1;

/** What a model is made of. Nothing else is read: what an SDK would take from the environment is switched off (C4). */
export interface LanguageModelOptions {
  /** As messages, prices and errors name it: `anthropic`, `openai`, `google`, or another one's name. */
  readonly provider: string;
  readonly id: string;
  readonly apiKey: Secret;
  /** Where the SDK's base URL points; the vendor's own by default. */
  readonly baseUrl?: URL;
  /** Prices, windows and capabilities, looked up by `id` where `provider` is the catalog's. */
  readonly catalog: Catalog;
  /** Sent with each request; as of a gateway on the way. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly terms?: Partial<CallTerms>;
  readonly fetch?: typeof fetch;
  /** Waits between tries; rejects when `signal` is aborted. The system's clock by default. */
  readonly sleep?: (ms: number, options: { readonly signal: AbortSignal }) => Promise<void>;
  /** From 0 to 1; spreads the tries of many callers. */
  readonly random?: () => number;
}
