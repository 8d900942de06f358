import type { TokenUsage } from '@quartermaster/agent/messages';
import { priceRequest } from '@quartermaster/catalog';
import type { Model } from '@quartermaster/catalog';
import type { Usage } from '@quartermaster/wire';

/** The usage of one answer with its list price, which needs the model's prices and both of input and output. */
export function toTokenUsage(usage: Usage | undefined, model: Model | undefined): TokenUsage {
  const { cacheWriteShortTokens, cacheWriteLongTokens } = usage ?? {};
  const isWriteTold = cacheWriteShortTokens !== undefined || cacheWriteLongTokens !== undefined;
  return {
    inputTokens: usage?.inputTokens,
    cacheReadTokens: usage?.cacheReadTokens,
    cacheWriteTokens: isWriteTold ? (cacheWriteShortTokens ?? 0) + (cacheWriteLongTokens ?? 0) : undefined,
    outputTokens: usage?.outputTokens,
    costUsd: model === undefined || usage === undefined ? undefined : costOf(usage, model),
  };
}

/** A class of the cache that is not told is none: the vendors leave out what there was not. */
function costOf(usage: Usage, model: Model): number | undefined {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteShortTokens, cacheWriteLongTokens } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const counts = {
    inputTokens,
    outputTokens,
    cacheReadTokens: cacheReadTokens ?? 0,
    cacheWriteShortTokens: cacheWriteShortTokens ?? 0,
    cacheWriteLongTokens: cacheWriteLongTokens ?? 0,
  };
  return priceRequest(model, counts, usage.terms).totalUsd;
}

/** Of two requests together; what one of them does not tell is not told. */
export function addTokenUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  const sum = (member: keyof TokenUsage): number | undefined => {
    const [left, right] = [one[member], other[member]];
    return left === undefined || right === undefined ? undefined : left + right;
  };
  return {
    inputTokens: sum('inputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    outputTokens: sum('outputTokens'),
    costUsd: sum('costUsd'),
  };
}
