import { redact } from '@quartermaster/agent/settings';
import type { Secret } from '@quartermaster/agent/settings';
import { maskQuotes } from './mask-quotes.ts';
import type { ModelRequest } from './language-model.ts';
import { ModelError } from './model-error.ts';
import type { ModelErrorCode } from './model-error.ts';
import type { Refusal } from './vendor-call.ts';

/** More of a vendor's words than this is no message any more but an echo. */
const maxSaid = 400;

const advice: Readonly<Record<ModelErrorCode, string>> = {
  PROVIDER_RATE_LIMITED: 'Try again later, or raise the limit of the account.',
  PROVIDER_OVERLOADED: 'Try again later.',
  PROVIDER_UNREACHABLE: 'Check the base URL and the network.',
  PROVIDER_SILENT: 'Try again, or allow a longer silence.',
  PROVIDER_STREAM_BROKEN: 'Try again.',
  PROVIDER_CONTEXT_OVERFLOW: 'Compact the conversation.',
  PROVIDER_BAD_REQUEST: 'Check the tools and parameters of the request.',
  PROVIDER_REFUSED: 'Say it otherwise.',
  PROVIDER_NOT_AUTHORISED: 'Check the key and what it may do.',
  PROVIDER_QUOTA_SPENT: 'Check the balance and limits of the account.',
  PROVIDER_MODEL_NOT_FOUND: 'Check the name of the model and whether the key may use it.',
};

/**
 * The error that a caller sees. It has no cause: an SDK's error holds the request with its headers and the prompt
 * (C3, case 131). The vendor's own words stay, without what they repeat of the key or the prompt.
 */
export function describeFailure(
  refusal: Refusal,
  {
    model,
    request,
    apiKey,
  }: {
    readonly model: { readonly provider: string; readonly id: string };
    readonly request: ModelRequest;
    readonly apiKey: Secret;
  },
): ModelError {
  const { code, status, requestId, retryAfterMs } = refusal;
  const said = maskQuotes(redact(refusal.said, [apiKey]), request, { maxLength: maxSaid });
  const answered = status === undefined ? '' : ` with ${status}`;
  const named = requestId === undefined ? '' : ` (request ${requestId})`;
  return new ModelError(
    {
      code,
      provider: model.provider,
      model: model.id,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    `Expected an answer of ${model.provider}/${model.id}; it failed${answered}${named}: ${said.replace(/[.\s]+$/, '')}. ${advice[code]}`,
  );
}
