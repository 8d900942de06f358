import { APIConnectionError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { codeOfStatus, toRefusal } from '../http-failure.ts';
import type { HttpFailure } from '../http-failure.ts';
import type { ModelErrorCode } from '../model-error.ts';
import type { Refusal } from '../vendor-call.ts';

/** §1.16 of the wire contract: the kinds of error that also come inside an answer, where no status says them. */
const codesByType: Readonly<Record<string, ModelErrorCode>> = {
  api_error: 'PROVIDER_OVERLOADED',
  authentication_error: 'PROVIDER_NOT_AUTHORISED',
  billing_error: 'PROVIDER_QUOTA_SPENT',
  invalid_request_error: 'PROVIDER_BAD_REQUEST',
  not_found_error: 'PROVIDER_MODEL_NOT_FOUND',
  overloaded_error: 'PROVIDER_OVERLOADED',
  permission_error: 'PROVIDER_NOT_AUTHORISED',
  rate_limit_error: 'PROVIDER_RATE_LIMITED',
  request_too_large: 'PROVIDER_CONTEXT_OVERFLOW',
  timeout_error: 'PROVIDER_OVERLOADED',
};

/** These are what a proxy writes over any status; inside an answer there is none to go by. */
const vague = new Set<string | null>(['invalid_request_error', 'api_error']);

/** 400 for a prompt over the window (rows 21 and 22), and for an account without money. */
const overflow = /prompt is too long|exceeds? (?:the )?context (?:limit|window)/i;
const penniless = /credit balance is too low/i;
/** Limits of money that no waiting raises. */
const spent = /^(?:contract|enforced)_spend_limit_reached$/;

/** Reads an error of Anthropic's SDK; `undefined` for one that no answer stands behind. */
export function readAnthropicRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof APIError)) return undefined;
  if (error instanceof APIConnectionError || error instanceof APIUserAbortError) return undefined;
  const failure: HttpFailure = {
    status: error.status,
    headers: error.headers,
    requestId: error.requestID ?? undefined,
    said: error.apiMessage ?? error.message,
  };
  return toRefusal(codeOf(error, failure), failure);
}

function codeOf({ type, errorCode }: APIError, { status, said }: HttpFailure): ModelErrorCode {
  if (spent.test(errorCode ?? '') || penniless.test(said)) return 'PROVIDER_QUOTA_SPENT';
  const code = codeOfType(type, status);
  return code === 'PROVIDER_BAD_REQUEST' && overflow.test(said) ? 'PROVIDER_CONTEXT_OVERFLOW' : code;
}

function codeOfType(type: string | null, status: number | undefined): ModelErrorCode {
  const byType = codesByType[type ?? ''];
  return byType === undefined || (vague.has(type) && status !== undefined) ? codeOfStatus(status) : byType;
}
