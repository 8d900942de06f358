import type { Usage } from './usage.ts';

/** The `usage` object of an Anthropic response or stream event; `undefined` where there is none. */
export function readAnthropicUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const split = recordOf(raw['cache_creation']);
  return {
    inputTokens: countOf(raw['input_tokens']),
    cacheReadTokens: countOf(raw['cache_read_input_tokens']),
    ...splitWrites({
      total: countOf(raw['cache_creation_input_tokens']),
      short: countOf(split['ephemeral_5m_input_tokens']),
      long: countOf(split['ephemeral_1h_input_tokens']),
    }),
    outputTokens: countOf(raw['output_tokens']),
    terms: wordsOf([raw['inference_geo'], raw['speed'], raw['service_tier']]),
    raw,
  };
}

/**
 * The `usage` object of OpenAI Responses or Chat Completions; `undefined` where there is none. Their input counts
 * what was read from and written to the cache; ours does not. `serviceTier` is what stands beside it in the response.
 */
export function readOpenAiUsage(raw: unknown, serviceTier?: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const details = recordOf(raw['input_tokens_details'] ?? raw['prompt_tokens_details']);
  const split = recordOf(details['cache_write_tokens_details']);
  const input = countOf(raw['input_tokens']) ?? countOf(raw['prompt_tokens']);
  const cacheReadTokens = countOf(details['cached_tokens']);
  const writes = splitWrites({
    total: countOf(details['cache_write_tokens']),
    short: countOf(split['ttl_30m_tokens']),
    long: countOf(split['ttl_12h_tokens']),
  });
  const cached =
    (cacheReadTokens ?? 0) + (writes.cacheWriteShortTokens ?? 0) + (writes.cacheWriteLongTokens ?? 0);
  return {
    inputTokens: input === undefined ? undefined : Math.max(0, input - cached),
    cacheReadTokens,
    ...writes,
    outputTokens: countOf(raw['output_tokens']) ?? countOf(raw['completion_tokens']),
    terms: wordsOf([serviceTier]),
    raw,
  };
}

/** What a response tells of cache writes: their sum, and how much of it lives short and long. */
interface ToldWrites {
  readonly total: number | undefined;
  readonly short: number | undefined;
  readonly long: number | undefined;
}

/** A sum that is not split at all is all short, and the long part not told; else the sum fills in the missing part. */
function splitWrites({
  total,
  short,
  long,
}: ToldWrites): Pick<Usage, 'cacheWriteShortTokens' | 'cacheWriteLongTokens'> {
  if (total === undefined) return { cacheWriteShortTokens: short, cacheWriteLongTokens: long };
  const filled = short === undefined ? undefined : Math.max(0, total - short);
  return {
    cacheWriteShortTokens: short ?? Math.max(0, total - (long ?? 0)),
    cacheWriteLongTokens: long ?? filled,
  };
}

/** A count of tokens, or `undefined` for whatever is none: not told is not 0. */
function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function wordsOf(told: readonly unknown[]): readonly string[] {
  return told.filter((word) => typeof word === 'string');
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
