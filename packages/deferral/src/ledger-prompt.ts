/** The two prompts that the ledger compares: as it goes upstream with deferral, and as the client sent it. */
export type PromptArm = 'deferred' | 'undeferred';

/** How long a cache entry that a mark asks for lives: 5 minutes or 1 hour. */
export type CacheLife = 'short' | 'long';

/** One piece of the rendered prompt, in render order: tools, system, messages. */
export interface PromptPart {
  /** The prompt that shows it. */
  readonly arm: PromptArm | 'both';
  /** In billed tokens. */
  readonly tokens: number;
  /** Counted from its text; else `tokens` is a guess by length, which the bill corrects. */
  readonly isCounted: boolean;
  /** The cache mark at its end, in each prompt; deferral moves marks (RW5). */
  readonly marks: Readonly<Record<PromptArm, CacheLife | undefined>>;
}

/** Tokens of one prompt as they are billed; the four never overlap. */
export interface PromptTokens {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteShortTokens: number;
  readonly cacheWriteLongTokens: number;
}

/** Where the longest hit of the prompt cache ends: the index of a part, or -1 for none. */
export type CacheHits = Readonly<Record<PromptArm, number>>;

/** One prompt's bill, and what is needed to tell the other's. */
export interface RecastOptions {
  readonly parts: readonly PromptPart[];
  /** The prompt that `billed` is the bill of. */
  readonly from: PromptArm;
  readonly billed: PromptTokens;
  /** Where both prompts' hits end. `undefined`: not known, and then taken to end at the same place. */
  readonly hits: CacheHits | undefined;
  /** The model's minimum: a mark on a shorter prefix caches nothing. */
  readonly minCacheTokens: number;
}

/** A mark that wrote the cache: the part it stands on, and the prefix's tokens up to there. */
export interface CacheWrite {
  readonly part: number;
  readonly life: CacheLife;
  readonly tokens: number;
}

/** What the other prompt would have been billed, and what both leave in the cache. */
export interface Recast {
  readonly tokens: PromptTokens;
  readonly writes: Readonly<Record<PromptArm, readonly CacheWrite[]>>;
}

/** The total of a prompt. */
export function sumPrompt(tokens: PromptTokens): number {
  const { inputTokens, cacheReadTokens, cacheWriteShortTokens, cacheWriteLongTokens } = tokens;
  return inputTokens + cacheReadTokens + cacheWriteShortTokens + cacheWriteLongTokens;
}
