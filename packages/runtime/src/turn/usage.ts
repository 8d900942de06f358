import type { TokenUsage } from '@quartermaster/agent/messages';
import type { SessionTotals } from '@quartermaster/store';

/** Of no answer at all. */
export const noUsage: TokenUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

/** Both together; what one of them was not told stays untold. */
export function addUsage(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    inputTokens: add(left.inputTokens, right.inputTokens),
    cacheReadTokens: add(left.cacheReadTokens, right.cacheReadTokens),
    cacheWriteTokens: add(left.cacheWriteTokens, right.cacheWriteTokens),
    outputTokens: add(left.outputTokens, right.outputTokens),
    costUsd: add(left.costUsd, right.costUsd),
  };
}

function add(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? undefined : left + right;
}

/** What one answer adds to the totals of its session. */
export function toTotals(usage: TokenUsage): SessionTotals {
  return {
    inputTokens: usage.inputTokens ?? 0,
    cacheReadTokens: usage.cacheReadTokens ?? 0,
    cacheWriteTokens: usage.cacheWriteTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    costUsd: usage.costUsd ?? 0,
    unpricedAnswers: usage.costUsd === undefined ? 1 : 0,
  };
}
