import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { codeOfStatus, toRefusal } from '../http-failure.ts';
import type { HttpFailure } from '../http-failure.ts';
import { memberOf, textOf } from '../json.ts';
import type { ModelErrorCode } from '../model-error.ts';
import type { Refusal } from '../vendor-call.ts';

/** §2.6 of the wire contract; the same codes come with a status, in `response.failed` and in an `error` event. */
const codes: Readonly<Record<string, ModelErrorCode>> = {
  billing_hard_limit_reached: 'PROVIDER_QUOTA_SPENT',
  bio_policy: 'PROVIDER_REFUSED',
  content_filter: 'PROVIDER_REFUSED',
  content_policy_violation: 'PROVIDER_REFUSED',
  context_length_exceeded: 'PROVIDER_CONTEXT_OVERFLOW',
  insufficient_quota: 'PROVIDER_QUOTA_SPENT',
  invalid_api_key: 'PROVIDER_NOT_AUTHORISED',
  invalid_prompt: 'PROVIDER_REFUSED',
  misalignment_policy_violation: 'PROVIDER_REFUSED',
  model_not_found: 'PROVIDER_MODEL_NOT_FOUND',
  rate_limit_exceeded: 'PROVIDER_RATE_LIMITED',
  server_error: 'PROVIDER_OVERLOADED',
  server_is_overloaded: 'PROVIDER_OVERLOADED',
};

/** Servers that speak OpenAI's API have no code for it. */
const overflow =
  /maximum context length|context (?:length|window) (?:of|is|exceeded)|exceeds? the (?:model's )?(?:maximum )?context|prompt is too long|too many tokens in (?:the )?prompt/i;

/** What one of OpenAI's codes, a kind of error or a text says; `undefined` where it says nothing. */
export function codeOfOpenAi(code: string | undefined, said: string): ModelErrorCode | undefined {
  return codes[code ?? ''] ?? (overflow.test(said) ? 'PROVIDER_CONTEXT_OVERFLOW' : undefined);
}

/** Reads an error of OpenAI's SDK; `undefined` for one that no answer stands behind. */
export function readOpenAiRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof APIError)) return undefined;
  if (error instanceof APIConnectionError || error instanceof APIUserAbortError) return undefined;
  // Some servers put the status of an error inside a stream where others have a code.
  const written: unknown = error.code;
  const failure: HttpFailure = {
    status: error.status ?? (typeof written === 'number' ? written : undefined),
    headers: error.headers,
    requestId: error.requestID ?? undefined,
    said: textOf(memberOf(error.error, 'message')) ?? error.message,
  };
  const code = codeOfOpenAi(textOf(written), failure.said) ?? codeOfOpenAi(error.type, '');
  return toRefusal(code ?? codeOfStatus(failure.status), failure);
}
