import { refuse } from '../../api-error.ts';
import { hasBeta } from '../betas.ts';
import type { JsonObject } from '../../json.ts';
import { checkCacheControl } from './cache-control.ts';
import { refuseExtra, refuseOther, requireList, requireObject } from './schema.ts';

const plainKeys = [
  'model',
  'messages',
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'metadata',
  'output_config',
  'service_tier',
  'speed',
  'stop_sequences',
  'system',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
  'user_profile_id',
  'workspace_id',
];
/** What count_tokens does not take. */
const samplingKeys = ['max_tokens', 'stream'];

/** Members that only exist under a beta of the named family (rule 2). */
const gatedKeys: Readonly<Record<string, readonly string[]>> = {
  compaction: ['compact'],
  context_management: ['context-management'],
  fallback_credit_token: ['fallback-credit'],
  fallbacks: ['server-side-fallback'],
  mcp_servers: ['mcp-client'],
  output_format: ['structured-outputs'],
  safeguards: ['dangerous-tool-use'],
  thread: ['message-threads'],
};

/** Rule 1: the body's own members, without a look into tools and messages. */
export function checkBody(
  body: JsonObject,
  { betas, isCount }: { readonly betas: readonly string[]; readonly isCount: boolean },
): void {
  const gated = Object.keys(gatedKeys).filter((key) => hasBeta(betas, ...(gatedKeys[key] ?? [])));
  refuseExtra(body, '', [...plainKeys, ...(isCount ? [] : samplingKeys), ...gated]);
  for (const key of ['model', ...(isCount ? [] : ['max_tokens']), 'messages']) {
    if (body[key] === undefined) throw refuse(`${key}: Field required`);
  }
  if (typeof body['model'] !== 'string') throw refuse('model: Input should be a valid string');
  if (!isCount) checkMaxTokens(body['max_tokens']);
  if (body['stream'] !== undefined && typeof body['stream'] !== 'boolean') {
    throw refuse('stream: Input should be a valid boolean');
  }
  refuseOther(body['speed'], 'speed', ['standard', 'fast']);
  if (body['metadata'] !== undefined)
    refuseExtra(requireObject(body['metadata'], 'metadata'), 'metadata', ['user_id']);
  if (body['tools'] !== undefined && body['tools'] !== null) requireList(body['tools'], 'tools');
  requireList(body['messages'], 'messages');
  checkCacheControl(body, '', betas);
}

/** 0 is allowed: it warms the cache without an answer. */
function checkMaxTokens(value: unknown): void {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw refuse('max_tokens: Input should be a valid integer');
  }
  if (value < 0) throw refuse('max_tokens: Input should be greater than or equal to 0');
}
