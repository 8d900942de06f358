import type { Model, TokenCounts } from '@quartermaster/catalog';
import { priceRequest } from '@quartermaster/catalog';
import {
  type CacheHits,
  type PromptArm,
  type PromptPart,
  type Recast,
  recastPrompt,
  sumPrompt,
  tokensPerSearch,
} from '@quartermaster/deferral';
import { addPrompts, type Bill } from './bill.ts';
import type { ShadowHit } from './cache-shadow.ts';

/** What one request cost, and what it would have cost in the other arm. */
export interface Settlement {
  readonly billed: TokenCounts;
  readonly billedUsd: number;
  /** Tokens and USD that the deferred arm is cheaper by; negative where it is dearer. */
  readonly netTokens: number;
  readonly netUsd: number;
  readonly recast: Recast;
}

/** Searches of one answer: those that were made, or would have been. */
export interface SearchCost {
  readonly outputTokens: number;
  /** Definitions that they would load, once as plain input; only for searches that were not made. */
  readonly inputTokens: number;
}

/** Everything that the arithmetic of one request needs. */
export interface SettleOptions {
  readonly model: Model;
  readonly parts: readonly PromptPart[];
  /** The prompt that was sent. */
  readonly from: PromptArm;
  readonly bill: Bill;
  readonly hits: CacheHits | undefined;
  readonly search: SearchCost;
}

/**
 * Prices both arms of one request (LE1). The other arm is priced as a whole request, since it may fall in another
 * price tier by its total input.
 */
export function settle({ model, parts, from, bill, hits, search }: SettleOptions): Settlement {
  const { minCacheTokens } = model.capabilities;
  const recast = recastPrompt({ parts, from, billed: bill.prompt, hits, minCacheTokens });
  const billed = { ...addPrompts(bill.prompt, bill.searchInput), outputTokens: bill.outputTokens };
  const other =
    from === 'deferred'
      ? { ...recast.tokens, outputTokens: Math.max(0, bill.outputTokens - search.outputTokens) }
      : {
          ...recast.tokens,
          inputTokens: recast.tokens.inputTokens + search.inputTokens,
          outputTokens: bill.outputTokens + search.outputTokens,
        };
  const sign = from === 'deferred' ? 1 : -1;
  const billedUsd = priceRequest(model, billed, bill.terms).totalUsd;
  return {
    billed,
    billedUsd,
    netTokens: sign * (totalOf(other) - totalOf(billed)),
    netUsd: sign * (priceRequest(model, other, bill.terms).totalUsd - billedUsd),
    recast,
  };
}

/**
 * The two hits, if the one of the prompt that was sent is the one the provider billed; `undefined` where it is not.
 * The provider may have forgotten early, or know the prefix from elsewhere: then nothing can be said of the other.
 */
export function trustedHits(
  found: Readonly<Record<PromptArm, ShadowHit>>,
  from: PromptArm,
  bill: Bill,
): CacheHits | undefined {
  const { tokens } = found[from];
  const read = bill.prompt.cacheReadTokens;
  const isAsBilled = (tokens === 0) === (read === 0) && Math.abs(tokens - read) <= 50 + read / 10;
  return isAsBilled ? { deferred: found.deferred.part, undeferred: found.undeferred.part } : undefined;
}

/** LE2: output of searches whose texts weigh `measuredO200k`, and of those that were not kept. */
export function searchOutput(measuredO200k: number, unmeasured: number, ratio: number): number {
  return measuredO200k * ratio + unmeasured * tokensPerSearch;
}

function totalOf(tokens: TokenCounts): number {
  return sumPrompt(tokens) + tokens.outputTokens;
}
