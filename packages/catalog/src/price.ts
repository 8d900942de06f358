import type { Model, TokenPrices } from './model.ts';

/** Tokens of one request by price class, in the vendor's own tokens; the five never overlap. */
export interface TokenCounts {
  /** Fresh input: neither read from nor written to a cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteShortTokens: number;
  readonly cacheWriteLongTokens: number;
  readonly outputTokens: number;
}

/** What one request costs, in USD, by price class; `totalUsd` is their sum. Not rounded. */
export interface RequestCost {
  readonly inputUsd: number;
  readonly cacheReadUsd: number;
  readonly cacheWriteShortUsd: number;
  readonly cacheWriteLongUsd: number;
  readonly outputUsd: number;
  readonly totalUsd: number;
}

/**
 * The list price of one request. A tier holds for the whole request once its total input (fresh, read and written)
 * is above the tier's bound. A long write on a model that has none is priced as a short one.
 */
export function priceRequest(model: Model, tokens: TokenCounts): RequestCost {
  const prices = pricesFor(model, tokens);
  const inputUsd = usd(tokens.inputTokens, prices.input);
  const cacheReadUsd = usd(tokens.cacheReadTokens, prices.cacheRead);
  const cacheWriteShortUsd = usd(tokens.cacheWriteShortTokens, prices.cacheWriteShort);
  const cacheWriteLongUsd = usd(tokens.cacheWriteLongTokens, prices.cacheWriteLong ?? prices.cacheWriteShort);
  const outputUsd = usd(tokens.outputTokens, prices.output);
  const totalUsd = inputUsd + cacheReadUsd + cacheWriteShortUsd + cacheWriteLongUsd + outputUsd;
  return { inputUsd, cacheReadUsd, cacheWriteShortUsd, cacheWriteLongUsd, outputUsd, totalUsd };
}

function pricesFor(model: Model, tokens: TokenCounts): TokenPrices {
  const totalInput =
    tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteShortTokens + tokens.cacheWriteLongTokens;
  return model.tiers.findLast((tier) => totalInput > tier.aboveInputTokens)?.prices ?? model.prices;
}

function usd(tokens: number, pricePerMillion: number): number {
  return (tokens * pricePerMillion) / 1_000_000;
}
