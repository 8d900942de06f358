import type { TokenUsage } from '@quartermaster/agent/messages';
import type { SessionTotals } from '@quartermaster/store';

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
