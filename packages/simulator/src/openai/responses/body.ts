import type { Model } from '@quartermaster/catalog';
import { isObject } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { serviceTiers } from '../billing.ts';
import { refuseMember, refuseOther, refuseType, refuseUnknown, requireList } from '../checks.ts';
import {
  isReasoningModel,
  reasoningEfforts,
  refuseEffort,
  refuseSampling,
  refuseUnsupported,
} from '../model.ts';

const bodyKeys = [
  'access_programs',
  'background',
  'background_options',
  'client_metadata',
  'context_management',
  'conversation',
  'image',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'moderation',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
];
const includable = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];
const minOutputTokens = 16;

/** The body's own members, without a look into tools and input. */
export function checkResponsesBody(body: JsonObject): void {
  refuseUnknown(body, '', bodyKeys);
  refuseType(body, '', {
    instructions: 'string',
    max_output_tokens: 'integer',
    metadata: 'object',
    parallel_tool_calls: 'boolean',
    previous_response_id: 'string',
    prompt_cache_key: 'string',
    prompt_cache_options: 'object',
    reasoning: 'object',
    store: 'boolean',
    stream: 'boolean',
    stream_options: 'object',
    temperature: 'number',
    text: 'object',
    top_p: 'number',
  });
  checkOutputTokens(body['max_output_tokens']);
  checkInclude(body['include']);
  refuseOther(body['service_tier'], 'service_tier', serviceTiers);
  refuseOther(body['truncation'], 'truncation', ['auto', 'disabled']);
  if (isObject(body['reasoning'])) {
    refuseUnknown(body['reasoning'], 'reasoning', [
      'context',
      'effort',
      'generate_summary',
      'mode',
      'summary',
    ]);
    refuseOther(body['reasoning']['effort'], 'reasoning.effort', reasoningEfforts);
    refuseOther(body['reasoning']['summary'], 'reasoning.summary', ['concise', 'detailed', 'auto']);
  }
  if (isObject(body['text'])) {
    refuseUnknown(body['text'], 'text', ['format', 'verbosity']);
    refuseOther(body['text']['verbosity'], 'text.verbosity', ['low', 'medium', 'high']);
  }
  if (isObject(body['stream_options']) && body['stream'] !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw refuseMember(message, undefined, 'stream_options');
  }
}

/** Members that the model does not take. */
export function checkModelMembers(body: JsonObject, model: Model): void {
  const reasoning = isObject(body['reasoning']) ? body['reasoning'] : {};
  if (isReasoningModel(model)) {
    refuseEffort(reasoning['effort'], model, {
      param: 'reasoning.effort',
      saying: (effort) => `'${effort}' is not supported with the '${model.id}' model.`,
    });
    if (reasoning['effort'] !== 'none') refuseSampling(body);
    return;
  }
  refuseUnsupported({ 'reasoning.effort': reasoning['effort'] }, ['reasoning.effort']);
  refuseUnsupported({ 'reasoning.summary': reasoning['summary'] }, ['reasoning.summary']);
}

function checkOutputTokens(value: unknown): void {
  if (typeof value !== 'number' || value >= minOutputTokens) return;
  throw refuseMember(
    `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${minOutputTokens}, but got ` +
      `${value} instead.`,
    'integer_below_min_value',
    'max_output_tokens',
  );
}

function checkInclude(value: unknown): void {
  if (value === undefined || value === null) return;
  requireList(value, 'include').forEach((item, index) => refuseOther(item, `include[${index}]`, includable));
}
