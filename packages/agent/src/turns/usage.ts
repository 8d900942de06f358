import type { TokenUsage } from '../messages/message.ts';

/** Of a turn in which no model has answered. */
export const noUsage: TokenUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

/** Both together; what one of them does not tell, the sum does not tell either. */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: add(one.inputTokens, other.inputTokens),
    cacheReadTokens: add(one.cacheReadTokens, other.cacheReadTokens),
    cacheWriteTokens: add(one.cacheWriteTokens, other.cacheWriteTokens),
    outputTokens: add(one.outputTokens, other.outputTokens),
    costUsd: add(one.costUsd, other.costUsd),
  };
}

function add(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}
