import type { Usage } from './usage.ts';

/**
 * The usage of a stream after one more event told its own. Figures are cumulative: for each, the latest that was
 * told stands, none are added, and one that is not told again stays.
 */
export function mergeAnthropicUsage(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later;
  return {
    inputTokens: later.inputTokens ?? earlier.inputTokens,
    cacheReadTokens: later.cacheReadTokens ?? earlier.cacheReadTokens,
    ...mergeWrites(earlier, later),
    outputTokens: later.outputTokens ?? earlier.outputTokens,
    terms: [...new Set([...earlier.terms, ...later.terms])],
    raw: later.raw,
  };
}

/**
 * The closing event of a stream tells the sum of writes without the split that the opening one told. The long part
 * stays then, and what is more than before is short: the provider's own marks inside a response live 5 minutes.
 */
function mergeWrites(
  earlier: Usage,
  later: Usage,
): Pick<Usage, 'cacheWriteShortTokens' | 'cacheWriteLongTokens'> {
  const { cacheWriteShortTokens: sum, cacheWriteLongTokens } = later;
  const long = earlier.cacheWriteLongTokens;
  if (sum === undefined || cacheWriteLongTokens !== undefined || long === undefined) {
    return {
      cacheWriteShortTokens: sum ?? earlier.cacheWriteShortTokens,
      cacheWriteLongTokens: cacheWriteLongTokens ?? long,
    };
  }
  return { cacheWriteShortTokens: Math.max(0, sum - long), cacheWriteLongTokens: Math.min(sum, long) };
}
