import type { Fault } from '../../faults.ts';
import { isObject } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { serviceTierOf } from '../billing.ts';
import type { OpenaiTokens } from '../billing.ts';
import type { ResponsesRequest } from './request.ts';

/** A response before anything is said: what the request asked for, as the API says it back. */
export function responseJson(
  { body }: ResponsesRequest,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): JsonObject {
  const reasoning = isObject(body['reasoning']) ? body['reasoning'] : {};
  const text = isObject(body['text']) ? body['text'] : {};
  return {
    id,
    object: 'response',
    created_at: Math.floor(nowMs / 1000),
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    model: body['model'],
    output: [],
    ...Object.fromEntries(Object.entries(echoed).map(([key, byDefault]) => [key, body[key] ?? byDefault])),
    reasoning: { effort: reasoning['effort'] ?? null, summary: reasoning['summary'] ?? null },
    service_tier: serviceTierOf(body),
    text: { format: text['format'] ?? { type: 'text' }, verbosity: text['verbosity'] ?? 'medium' },
    usage: null,
  };
}

/** Members that a response repeats, and what it says where the request left them out. */
const echoed: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

/** The same response at its end: completed, incomplete, or failed where the fault says so. */
export function finishedJson(
  opening: JsonObject,
  {
    items,
    usage,
    nowMs,
    incompleteReason,
    fault,
  }: {
    readonly items: readonly JsonObject[];
    readonly usage: JsonObject;
    readonly nowMs: number;
    readonly incompleteReason: string | undefined;
    readonly fault: Fault | undefined;
  },
): JsonObject {
  if (fault?.kind === 'failed') return failedJson(opening, fault);
  const isWhole = incompleteReason === undefined;
  return {
    ...opening,
    status: isWhole ? 'completed' : 'incomplete',
    completed_at: isWhole ? Math.floor(nowMs / 1000) : null,
    incomplete_details: isWhole ? null : { reason: incompleteReason },
    output: items,
    usage,
  };
}

/** A response that broke off: what failed, no output that counts. */
export function failedJson(opening: JsonObject, { errorType, message }: Fault): JsonObject {
  const error = {
    code: errorType ?? 'server_error',
    message: message ?? 'An error occurred while processing your request. Please try again.',
  };
  return { ...opening, status: 'failed', error };
}

/**
 * `usage` of §2.5: `input_tokens` includes what was read and written (rule 5). How long a write lives is told where the
 * request says something of it: the API's own agents library refuses an object in a place where it knows numbers.
 */
export function usageJson(tokens: OpenaiTokens, body: JsonObject): JsonObject {
  const { input, cached, writtenShort, writtenLong, output, reasoning } = tokens;
  const asksForLife = isObject(body['prompt_cache_options']) || writtenLong > 0;
  const lives = { ttl_30m_tokens: writtenShort, ttl_12h_tokens: writtenLong };
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cached,
      cache_write_tokens: writtenShort + writtenLong,
      ...(asksForLife ? { cache_write_tokens_details: lives } : {}),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
