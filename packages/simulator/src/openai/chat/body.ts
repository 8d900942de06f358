import type { Model } from '@quartermaster/catalog';
import { isObject } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { serviceTiers } from '../billing.ts';
import { refuseMember, refuseOther, refuseType, refuseUnknown } from '../checks.ts';
import {
  isReasoningModel,
  reasoningEfforts,
  refuseEffort,
  refuseSampling,
  refuseUnsupported,
} from '../model.ts';

const bodyKeys = [
  'audio',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'modalities',
  'model',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
];

/** The body's own members, without a look into tools and messages. */
export function checkChatBody(body: JsonObject): void {
  refuseUnknown(body, '', bodyKeys);
  refuseType(body, '', {
    max_completion_tokens: 'integer',
    max_tokens: 'integer',
    metadata: 'object',
    n: 'integer',
    parallel_tool_calls: 'boolean',
    prompt_cache_options: 'object',
    response_format: 'object',
    store: 'boolean',
    stream: 'boolean',
    stream_options: 'object',
    temperature: 'number',
    top_p: 'number',
  });
  refuseOther(body['reasoning_effort'], 'reasoning_effort', reasoningEfforts);
  refuseOther(body['service_tier'], 'service_tier', serviceTiers);
  refuseOther(body['verbosity'], 'verbosity', ['low', 'medium', 'high']);
  if (isObject(body['stream_options']) && body['stream'] !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw refuseMember(message, undefined, 'stream_options');
  }
  if (typeof body['n'] === 'number' && body['n'] !== 1) {
    throw refuseMember(`simulator: n must be 1; came ${body['n']}.`, 'unsupported_value', 'n');
  }
  checkNeedsTools(body);
}

/** Members that the model does not take. */
export function checkModelMembers(body: JsonObject, model: Model): void {
  if (!isReasoningModel(model)) return refuseUnsupported(body, ['reasoning_effort', 'verbosity']);
  refuseEffort(body['reasoning_effort'], model, {
    param: 'reasoning_effort',
    saying: (effort) => `'reasoning_effort' does not support '${effort}' with this model.`,
  });
  refuseUnsupported(body, ['max_tokens'], " Use 'max_completion_tokens' instead.");
  if (body['reasoning_effort'] !== 'none') refuseSampling(body);
}

function checkNeedsTools(body: JsonObject): void {
  const hasTools = Array.isArray(body['tools']) && body['tools'].length > 0;
  const key = ['tool_choice', 'parallel_tool_calls'].find(
    (name) => body[name] !== undefined && body[name] !== null,
  );
  if (hasTools || key === undefined || body[key] === 'none') return;
  throw refuseMember(
    `Invalid value for '${key}': '${key}' is only allowed when 'tools' are specified.`,
    undefined,
    key,
  );
}
