import type { ModelErrorCode } from './model-error.ts';
import { providerErrors } from './provider-error.ts';
import { readRetryAfterMs } from './retry-delay.ts';
import type { Refusal } from './vendor-call.ts';

/** An error answer, or an error inside an answer, in no vendor's form. */
export interface HttpFailure {
  /** Absent for an error that came inside an answer. */
  readonly status: number | undefined;
  readonly headers: { get(name: string): string | null } | undefined;
  readonly requestId: string | undefined;
  readonly said: string;
}

/** What the statuses mean that the vendors agree on. */
export function codeOfStatus(status: number | undefined): ModelErrorCode {
  if (status === undefined) return 'PROVIDER_STREAM_BROKEN';
  if (status === 401 || status === 403) return 'PROVIDER_NOT_AUTHORISED';
  if (status === 402) return 'PROVIDER_QUOTA_SPENT';
  if (status === 404) return 'PROVIDER_MODEL_NOT_FOUND';
  if (status === 413) return 'PROVIDER_CONTEXT_OVERFLOW';
  if (status === 429) return 'PROVIDER_RATE_LIMITED';
  if (status === 408 || status === 409 || status >= 500) return 'PROVIDER_OVERLOADED';
  return 'PROVIDER_BAD_REQUEST';
}

/** What passes by itself. */
export function isPassing(code: ModelErrorCode): boolean {
  return providerErrors[code].retryable;
}

/** `x-should-retry` is the vendor's last word on another try; without it what passes is worth one. */
export function toRefusal(code: ModelErrorCode, failure: HttpFailure): Refusal {
  const { status, headers, requestId, said } = failure;
  const word = headers?.get('x-should-retry');
  const isWorthRetrying = word === 'true' || (word !== 'false' && isPassing(code));
  return { code, status, requestId, retryAfterMs: readRetryAfterMs(headers), said, isWorthRetrying };
}
