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
 * is above the tier's bound. A long write on a model that has none is priced as a short one. `terms` are the words of the
 * answer that may change the price: where it was served, how fast, in which tier.
 */
export function priceRequest(model: Model, tokens: TokenCounts, terms: readonly string[] = []): RequestCost {
  const prices = pricesFor(model, tokens);
  const factor = terms.reduce((product, term) => product * factorOf(model, term), 1);
  const usd = (count: number, pricePerMillion: number): number =>
    (count * pricePerMillion * factor) / 1_000_000;
  const inputUsd = usd(tokens.inputTokens, prices.input);
  const cacheReadUsd = usd(tokens.cacheReadTokens, prices.cacheRead);
  const cacheWriteShortUsd = usd(tokens.cacheWriteShortTokens, prices.cacheWriteShort);
  const cacheWriteLongUsd = usd(tokens.cacheWriteLongTokens, prices.cacheWriteLong ?? prices.cacheWriteShort);
  const outputUsd = usd(tokens.outputTokens, prices.output);
  const totalUsd = inputUsd + cacheReadUsd + cacheWriteShortUsd + cacheWriteLongUsd + outputUsd;
  return { inputUsd, cacheReadUsd, cacheWriteShortUsd, cacheWriteLongUsd, outputUsd, totalUsd };
}

/** A term is a word of the vendor's answer: any word, also one that every object has as a member. */
function factorOf({ factors }: Model, term: string): number {
  return Object.hasOwn(factors, term) ? (factors[term] ?? 1) : 1;
}

function pricesFor(model: Model, tokens: TokenCounts): TokenPrices {
  const totalInput =
    tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteShortTokens + tokens.cacheWriteLongTokens;
  return model.tiers.findLast((tier) => totalInput > tier.aboveInputTokens)?.prices ?? model.prices;
}
