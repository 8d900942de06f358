import { ApiError } from '@google/genai';
import { codeOfStatus, toRefusal } from '../http-failure.ts';
import { isObject, memberOf, parseJson, textOf } from '../json.ts';
import type { ModelErrorCode } from '../model-error.ts';
import type { Refusal } from '../vendor-call.ts';

const overflow = /(?:input )?token count.*exceeds|exceeds the maximum number of tokens/i;
const badKey = /API key not valid|API_KEY_INVALID/i;
/** The daily allowance of an account without billing; a minute's passes. */
const spent = /PerDay|billing details/i;

/**
 * Reads an error of Google's SDK; `undefined` for one that no answer stands behind. The SDK puts the whole answer into
 * the message, after words of its own where it came inside a stream.
 */
export function readGoogleRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const answer = memberOf(parseJson(error.message.replace(/^got status: \S*\s*/, '')), 'error');
  const said = textOf(memberOf(answer, 'message')) ?? error.message;
  const failure = { status: error.status, headers: undefined, requestId: undefined, said };
  const refusal = toRefusal(codeOf(error, said), failure);
  return { ...refusal, retryAfterMs: readRetryDelayMs(memberOf(answer, 'details')) };
}

function codeOf({ status, message }: ApiError, said: string): ModelErrorCode {
  if (status === 400 && overflow.test(said)) return 'PROVIDER_CONTEXT_OVERFLOW';
  if (status === 400 && badKey.test(message)) return 'PROVIDER_NOT_AUTHORISED';
  if (status === 429 && spent.test(message)) return 'PROVIDER_QUOTA_SPENT';
  return codeOfStatus(status);
}

/** `google.rpc.RetryInfo`: `{ retryDelay: "34.5s" }` among the details of an error. */
function readRetryDelayMs(details: unknown): number | undefined {
  const delays = Array.isArray(details) ? details.filter(isObject).map((detail) => detail['retryDelay']) : [];
  const seconds = Number.parseFloat(textOf(delays.find((delay) => typeof delay === 'string')) ?? '');
  return seconds >= 0 ? seconds * 1_000 : undefined;
}
