import { ThinkingLevel } from '@google/genai';
import type { ThinkingConfig } from '@google/genai';
import type { ModelRequest } from '../language-model.ts';

const levels = { low: ThinkingLevel.LOW, medium: ThinkingLevel.MEDIUM, high: ThinkingLevel.HIGH };
/** Tokens to think with, for models before levels. */
const budgets = { low: 4_096, medium: 12_288, high: 24_576 };
/** The least that a Pro model of 2.5 thinks. */
const leastOfPro = 128;

/**
 * How a model of Gemini is to think: by level from 3 on, by budget before. One that can't be quiet thinks the least
 * that it can. `undefined` leaves it to the model.
 */
export function toThinkingConfig(
  reasoning: ModelRequest['reasoning'],
  id: string,
): ThinkingConfig | undefined {
  if (reasoning === undefined) return undefined;
  const isPro = id.includes('-pro');
  const isBudgeted = id.startsWith('gemini-2.');
  if (reasoning !== 'off') {
    const includeThoughts = true;
    return isBudgeted
      ? { includeThoughts, thinkingBudget: budgets[reasoning] }
      : { includeThoughts, thinkingLevel: levels[reasoning] };
  }
  if (isBudgeted) return { thinkingBudget: isPro ? leastOfPro : 0 };
  return { thinkingLevel: isPro ? ThinkingLevel.LOW : ThinkingLevel.MINIMAL };
}
