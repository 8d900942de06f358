import { priceRequest } from '@quartermaster/catalog';
import type { Model, RequestCost } from '@quartermaster/catalog';
import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { FlatPrompt } from '../prompt.ts';
import type { SimulatorState } from '../state.ts';

/** Tokens of one answered request (§2.5); `input` includes what was read and written. */
export interface OpenaiTokens {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  /** Of the output. */
  readonly reasoning: number;
}

/** How a prompt meets the cache. */
export interface CacheMeeting {
  readonly cached: number;
  readonly written: number;
  /** Fills the cache; for the moment when the answer begins. */
  remember(): void;
}

/** The cache reads in steps of this many tokens. */
const cacheStep = 128;
/** gpt-5.6 and later keep a write for 30 minutes or 12 hours, earlier models for about ten minutes. */
const lifeMs = { '30m': 1_800_000, '12h': 43_200_000, default: 600_000 } as const;

/**
 * Rules 3 and 4 as far as they go without breakpoints of the client's own: the longest prefix that an earlier prompt
 * of the same organisation and cache key shares, whole pieces only, in steps of 128 tokens, from the model's minimum
 * on. Models that charge for writes write what they did not read. Mode `explicit` caches nothing here.
 */
export function meetCache(
  state: SimulatorState,
  prompt: FlatPrompt,
  {
    model,
    body,
    organisation,
  }: { readonly model: Model; readonly body: JsonObject; readonly organisation: string },
): CacheMeeting {
  const { prefixes, options } = state;
  const cacheOptions = isObject(body['prompt_cache_options']) ? body['prompt_cache_options'] : {};
  const chargesWrites = model.prices.cacheWriteShort > model.prices.input;
  const minimum = model.capabilities.minCacheTokens;
  if (cacheOptions['mode'] === 'explicit' || prompt.totalTokens < minimum) {
    return { cached: 0, written: 0, remember: () => undefined };
  }
  const key = chargesWrites ? (textOf(body['prompt_cache_key']) ?? '') : '';
  const scope = `${organisation}:${key}`;
  const shared = prefixes.read(scope, prompt.positions, options.clock.now());
  const cached = shared < minimum ? 0 : shared - (shared % cacheStep);
  const life = chargesWrites ? (cacheOptions['ttl'] === '12h' ? '12h' : '30m') : 'default';
  return {
    cached,
    written: chargesWrites ? prompt.totalTokens - cached : 0,
    remember: () => prefixes.write(scope, prompt.positions, options.clock.now() + lifeMs[life]),
  };
}

/** The tiers of service that a request may ask for. */
export const serviceTiers: readonly string[] = [
  'auto',
  'default',
  'flex',
  'scale',
  'priority',
  'fast',
  'ultrafast',
];

/** The tier that serves a request, as its answer says it: `fast` is the other name of `priority`. */
export function serviceTierOf({ service_tier: asked }: JsonObject): string {
  if (asked === 'fast') return 'priority';
  return asked === 'flex' || asked === 'priority' ? asked : 'default';
}

/** What a request costs by the catalog; a long write is priced as the body asked for one. */
export function priceTokens(model: Model, tokens: OpenaiTokens, body: JsonObject): RequestCost {
  const isLong = isObject(body['prompt_cache_options']) && body['prompt_cache_options']['ttl'] === '12h';
  const counts = {
    inputTokens: tokens.input - tokens.cached - tokens.written,
    cacheReadTokens: tokens.cached,
    cacheWriteShortTokens: isLong ? 0 : tokens.written,
    cacheWriteLongTokens: isLong ? tokens.written : 0,
    outputTokens: tokens.output,
  };
  return priceRequest(model, counts, [serviceTierOf(body)]);
}
