import { catalog } from '@quartermaster/catalog';
import {
  createAnthropicModel,
  createGoogleModel,
  createOpenAiChatModel,
  createOpenAiResponsesModel,
} from '@quartermaster/providers';
import type { LanguageModel, LanguageModelOptions, ModelErrorCode } from '@quartermaster/providers';
import { apiKey } from './simulated.ts';

/** An error as the vendor sends it, and what it is to us. */
export interface VendorFault {
  readonly status: number;
  readonly body: unknown;
  readonly code: ModelErrorCode;
}

/** One of the APIs, with answers of its in its own form. */
export interface Vendor {
  readonly api: LanguageModel['api'];
  modelAt(url: URL, changes?: Partial<LanguageModelOptions>): LanguageModel;
  /** The beginning of a stream, up to the word `hel`. */
  readonly started: string;
  /** What follows in a whole answer. */
  readonly rest: string;
  /** An error inside a stream, as the first of its events or later. */
  readonly brokenBy: string;
  error(message: string): unknown;
  readonly faults: readonly VendorFault[];
}

function sse(...events: readonly Record<string, unknown>[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** Anthropic's SDK goes by the name of an event. */
function named(...events: readonly Record<string, unknown>[]): string {
  return events.map((event) => `event: ${String(event['type'])}\n${sse(event)}`).join('');
}

type Create = (options: LanguageModelOptions) => LanguageModel;

function maker(create: Create, { provider, id, base }: { provider: string; id: string; base: string }) {
  return (url: URL, changes: Partial<LanguageModelOptions> = {}): LanguageModel =>
    create({ provider, id, apiKey, baseUrl: new URL(base, url), catalog, ...changes });
}

const anthropicError = (type: string, message: string, details?: unknown) => ({
  type: 'error',
  error: { type, message, details },
  request_id: 'req_9',
});

const anthropic: Vendor = {
  api: 'anthropic-messages',
  modelAt: maker(createAnthropicModel, { provider: 'anthropic', id: 'claude-opus-5-5', base: '/' }),
  started: named(
    { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hel' } },
  ),
  rest: named(
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ),
  brokenBy: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  error: (message) => anthropicError('invalid_request_error', message),
  faults: [
    {
      status: 400,
      body: anthropicError('invalid_request_error', 'tools: bad'),
      code: 'PROVIDER_BAD_REQUEST',
    },
    {
      status: 400,
      body: anthropicError('invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum'),
      code: 'PROVIDER_CONTEXT_OVERFLOW',
    },
    {
      status: 400,
      body: anthropicError(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
      ),
      code: 'PROVIDER_CONTEXT_OVERFLOW',
    },
    {
      status: 400,
      body: anthropicError('invalid_request_error', 'Your credit balance is too low to access the API.'),
      code: 'PROVIDER_QUOTA_SPENT',
    },
    { status: 401, body: anthropicError('authentication_error', 'no'), code: 'PROVIDER_NOT_AUTHORISED' },
    { status: 402, body: anthropicError('billing_error', 'no'), code: 'PROVIDER_QUOTA_SPENT' },
    { status: 402, body: anthropicError('api_error', 'no'), code: 'PROVIDER_QUOTA_SPENT' },
    { status: 403, body: anthropicError('permission_error', 'no'), code: 'PROVIDER_NOT_AUTHORISED' },
    { status: 404, body: anthropicError('not_found_error', 'model: x'), code: 'PROVIDER_MODEL_NOT_FOUND' },
    { status: 409, body: anthropicError('conflict_error', 'no'), code: 'PROVIDER_OVERLOADED' },
    { status: 413, body: '<html>413</html>', code: 'PROVIDER_CONTEXT_OVERFLOW' },
    { status: 429, body: anthropicError('rate_limit_error', 'slow'), code: 'PROVIDER_RATE_LIMITED' },
    {
      status: 429,
      body: anthropicError('rate_limit_error', 'no', { error_code: 'enforced_spend_limit_reached' }),
      code: 'PROVIDER_QUOTA_SPENT',
    },
    { status: 500, body: anthropicError('api_error', 'oops'), code: 'PROVIDER_OVERLOADED' },
    { status: 502, body: '<html>bad gateway</html>', code: 'PROVIDER_OVERLOADED' },
    { status: 529, body: anthropicError('overloaded_error', 'Overloaded'), code: 'PROVIDER_OVERLOADED' },
  ],
};

const openAiError = (code: string | null, message = 'no', type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});

const openAiFaults: readonly VendorFault[] = [
  { status: 400, body: openAiError('invalid_value'), code: 'PROVIDER_BAD_REQUEST' },
  { status: 400, body: openAiError('context_length_exceeded'), code: 'PROVIDER_CONTEXT_OVERFLOW' },
  {
    status: 400,
    body: openAiError(null, "This model's maximum context length is 8192 tokens."),
    code: 'PROVIDER_CONTEXT_OVERFLOW',
  },
  { status: 400, body: openAiError('content_policy_violation'), code: 'PROVIDER_REFUSED' },
  { status: 401, body: openAiError('invalid_api_key'), code: 'PROVIDER_NOT_AUTHORISED' },
  { status: 403, body: openAiError(null), code: 'PROVIDER_NOT_AUTHORISED' },
  { status: 404, body: openAiError('model_not_found'), code: 'PROVIDER_MODEL_NOT_FOUND' },
  { status: 429, body: openAiError('rate_limit_exceeded'), code: 'PROVIDER_RATE_LIMITED' },
  {
    status: 429,
    body: openAiError('insufficient_quota', 'no', 'insufficient_quota'),
    code: 'PROVIDER_QUOTA_SPENT',
  },
  { status: 503, body: openAiError(null, 'busy', 'server_error'), code: 'PROVIDER_OVERLOADED' },
];

const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const said = { ...message, content: [{ type: 'output_text', text: 'hello', annotations: [] }] };

const responses: Vendor = {
  api: 'openai-responses',
  modelAt: maker(createOpenAiResponsesModel, { provider: 'openai', id: 'gpt-5.6-sol', base: '/v1' }),
  started: sse(
    { type: 'response.created', response: { status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'hel' },
  ),
  rest: sse(
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'lo' },
    { type: 'response.output_item.done', output_index: 0, item: said },
    {
      type: 'response.completed',
      response: { status: 'completed', output: [said], usage: { input_tokens: 3, output_tokens: 2 } },
    },
  ),
  brokenBy: sse({
    type: 'response.failed',
    response: { status: 'failed', output: [], error: { code: 'server_error', message: 'oops' } },
  }),
  error: (text) => openAiError('invalid_value', text),
  faults: openAiFaults,
};

const chunk = (delta: unknown, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const chat: Vendor = {
  api: 'openai-chat',
  modelAt: maker(createOpenAiChatModel, { provider: 'openai', id: 'gpt-5.6-sol', base: '/v1' }),
  started: sse(chunk({ role: 'assistant', content: '' }), chunk({ content: 'hel' })),
  rest: `${sse(chunk({ content: 'lo' }), chunk({}, 'stop'), {
    id: 'chatcmpl-1',
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  })}data: [DONE]\n\n`,
  brokenBy: sse(openAiError('server_error', 'oops')),
  error: (text) => openAiError('invalid_value', text),
  faults: openAiFaults,
};

const googleError = (code: number, status: string, text: string, details?: unknown) => ({
  error: { code, status, message: text, details },
});

const google: Vendor = {
  api: 'google-gemini',
  modelAt: maker(createGoogleModel, { provider: 'google', id: 'gemini-3.8-flash', base: '/' }),
  started: sse({ responseId: 'r1', candidates: [{ content: { role: 'model', parts: [{ text: 'hel' }] } }] }),
  rest: sse({
    responseId: 'r1',
    candidates: [{ content: { role: 'model', parts: [{ text: 'lo' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 },
  }),
  brokenBy: sse(googleError(503, 'UNAVAILABLE', 'The model is overloaded.')),
  error: (text) => googleError(400, 'INVALID_ARGUMENT', text),
  faults: [
    { status: 400, body: googleError(400, 'INVALID_ARGUMENT', 'bad'), code: 'PROVIDER_BAD_REQUEST' },
    {
      status: 400,
      body: googleError(
        400,
        'INVALID_ARGUMENT',
        'The input token count (9) exceeds the maximum number of tokens allowed (8).',
      ),
      code: 'PROVIDER_CONTEXT_OVERFLOW',
    },
    {
      status: 400,
      body: googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
      code: 'PROVIDER_NOT_AUTHORISED',
    },
    { status: 403, body: googleError(403, 'PERMISSION_DENIED', 'no'), code: 'PROVIDER_NOT_AUTHORISED' },
    { status: 404, body: googleError(404, 'NOT_FOUND', 'no'), code: 'PROVIDER_MODEL_NOT_FOUND' },
    { status: 429, body: googleError(429, 'RESOURCE_EXHAUSTED', 'slow'), code: 'PROVIDER_RATE_LIMITED' },
    {
      status: 429,
      body: googleError(429, 'RESOURCE_EXHAUSTED', 'check your plan and billing details'),
      code: 'PROVIDER_QUOTA_SPENT',
    },
    { status: 500, body: googleError(500, 'INTERNAL', 'oops'), code: 'PROVIDER_OVERLOADED' },
    { status: 503, body: googleError(503, 'UNAVAILABLE', 'busy'), code: 'PROVIDER_OVERLOADED' },
  ],
};

export const vendors: readonly Vendor[] = [anthropic, responses, chat, google];
