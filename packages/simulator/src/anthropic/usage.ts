import type { TokenCounts } from '@quartermaster/catalog';
import type { CacheWrite } from './cache.ts';
import { textOf, without } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { RenderedPrompt } from './render.ts';

/** How the input of a request is billed, and what it leaves in the cache. */
export interface InputSplit {
  readonly tokens: Omit<TokenCounts, 'outputTokens'>;
  readonly writes: readonly CacheWrite[];
}

/**
 * The A/B/C arithmetic of §1.13.4. A: the end of the hit; B: of the last 1 h breakpoint, or A; C: of the last
 * breakpoint. Read A, written for 1 h B − A, for 5 m C − B, plain the rest. A breakpoint whose prefix is shorter than
 * the model's minimum does not count.
 */
export function splitInput(
  prompt: RenderedPrompt,
  { hit, minCacheTokens }: { readonly hit: number; readonly minCacheTokens: number },
): InputSplit {
  const read = prompt.positions[hit]?.tokens ?? 0;
  const late = prompt.positions.slice(hit + 1);
  const marked = late.filter((position) => position.mark !== undefined && position.tokens >= minCacheTokens);
  const longEnd = marked.findLast((position) => position.mark === '1h')?.tokens ?? read;
  const end = marked.at(-1)?.tokens ?? read;
  return {
    tokens: {
      inputTokens: prompt.totalTokens - end,
      cacheReadTokens: read,
      cacheWriteShortTokens: end - longEnd,
      cacheWriteLongTokens: longEnd - read,
    },
    writes: marked.map((position) => ({ hash: position.hash, life: position.mark ?? '5m' })),
  };
}

/** Where an answer is served and how fast: what a price depends on beside the tokens. */
export interface ServiceTerms {
  readonly inference_geo: string;
  readonly speed: string;
}

/** The terms that a request asks for; a workspace is global by default. */
export function termsOf(body: JsonObject): ServiceTerms {
  return {
    inference_geo: textOf(body['inference_geo']) ?? 'global',
    speed: textOf(body['speed']) ?? 'standard',
  };
}

/** The `usage` object of §1.14; `iterations` only where the server sampled more than once. */
export function usageJson(
  tokens: TokenCounts,
  options: {
    readonly terms: ServiceTerms;
    readonly thinkingTokens?: number;
    readonly iterations?: readonly TokenCounts[];
  },
): JsonObject {
  const { terms, thinkingTokens, iterations } = options;
  return {
    ...inputJson(tokens),
    output_tokens: tokens.outputTokens,
    ...(thinkingTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: thinkingTokens } }),
    ...(iterations === undefined || iterations.length < 2
      ? {}
      : {
          iterations: iterations.map((iteration) => ({
            type: 'message',
            ...inputJson(iteration),
            output_tokens: iteration.outputTokens,
          })),
        }),
    server_tool_use: null,
    service_tier: 'standard',
    ...terms,
  };
}

/** What a stream's last event says of a usage: the sums, without their split and the terms, which its first one told. */
export function closingUsage(usage: JsonObject): JsonObject {
  return without(usage, 'cache_creation', 'service_tier', 'inference_geo', 'speed');
}

function inputJson(tokens: TokenCounts): JsonObject {
  return {
    input_tokens: tokens.inputTokens,
    cache_creation_input_tokens: tokens.cacheWriteShortTokens + tokens.cacheWriteLongTokens,
    cache_read_input_tokens: tokens.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: tokens.cacheWriteShortTokens,
      ephemeral_1h_input_tokens: tokens.cacheWriteLongTokens,
    },
  };
}
