import type { PromptTokens } from '@quartermaster/deferral';
import type { Usage } from '@quartermaster/wire';
import type { AnswerFacts } from '../tap/answer.ts';

/** What an answer was billed: its prompt, what its searches made it read on top, and its output. */
export interface Bill {
  readonly prompt: PromptTokens;
  readonly searchInput: PromptTokens;
  readonly outputTokens: number;
  /** What sets the price beside the tokens, as the answer says it. */
  readonly terms: readonly string[];
}

const none: PromptTokens = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteShortTokens: 0,
  cacheWriteLongTokens: 0,
};

/**
 * Takes an answer's usage apart. A server search ends one sampling and begins another, whose input is billed on top:
 * where the first sampling's own usage is told, the rest is the searches'; else `loadedTokens`, what the definitions
 * that they loaded weigh, is taken for it.
 *
 * `undefined`: not known (LE5), which is not 0. That holds for figures that were not told, for cache figures where
 * the prompt asked for a cache, for an answer with a search that broke off, and for one that took several answers whose
 * parts can't be told apart.
 */
export function readBill(
  facts: AnswerFacts,
  { hasMarks, loadedTokens }: { readonly hasMarks: boolean; readonly loadedTokens: number },
): Bill | undefined {
  const { usage, firstUsage, searches, isComplete } = facts;
  const total = usage && promptOf(usage, hasMarks);
  if (total === undefined || usage?.outputTokens === undefined) return undefined;
  const { outputTokens, terms } = usage;
  const { continuations } = facts;
  if (searches === 0 && continuations === 0) return { prompt: total, searchInput: none, outputTokens, terms };
  if (!isComplete) return undefined;
  const first = firstUsage && promptOf(firstUsage, hasMarks);
  if (first !== undefined && !facts.hasOtherServerTools) {
    return { prompt: first, searchInput: subtract(total, first), outputTokens, terms };
  }
  if (continuations > 0) return undefined;
  const searchInput = { ...none, inputTokens: Math.min(loadedTokens, total.inputTokens) };
  return { prompt: subtract(total, searchInput), searchInput, outputTokens, terms };
}

function promptOf(usage: Usage, hasMarks: boolean): PromptTokens | undefined {
  const { inputTokens, cacheReadTokens, cacheWriteShortTokens, cacheWriteLongTokens } = usage;
  const cached = [cacheReadTokens, cacheWriteShortTokens, cacheWriteLongTokens];
  if (inputTokens === undefined || (hasMarks && cached.includes(undefined))) return undefined;
  return {
    inputTokens,
    cacheReadTokens: cacheReadTokens ?? 0,
    cacheWriteShortTokens: cacheWriteShortTokens ?? 0,
    cacheWriteLongTokens: cacheWriteLongTokens ?? 0,
  };
}

function subtract(total: PromptTokens, part: PromptTokens): PromptTokens {
  return {
    inputTokens: Math.max(0, total.inputTokens - part.inputTokens),
    cacheReadTokens: Math.max(0, total.cacheReadTokens - part.cacheReadTokens),
    cacheWriteShortTokens: Math.max(0, total.cacheWriteShortTokens - part.cacheWriteShortTokens),
    cacheWriteLongTokens: Math.max(0, total.cacheWriteLongTokens - part.cacheWriteLongTokens),
  };
}

/** The sum of two prompts' figures. */
export function addPrompts(left: PromptTokens, right: PromptTokens): PromptTokens {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteShortTokens: left.cacheWriteShortTokens + right.cacheWriteShortTokens,
    cacheWriteLongTokens: left.cacheWriteLongTokens + right.cacheWriteLongTokens,
  };
}
