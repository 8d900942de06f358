import type { Message } from '@quartermaster/agent/messages';
import type { HistoryEntry } from '../sessions/history.ts';

const charactersPerToken = 4;
const tokensPerMessage = 5;

/** Roughly how many tokens a text is. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** Roughly how many tokens a message is, where nobody has counted them yet. */
export function estimateTokens(message: Message): number {
  return Math.ceil(countCharacters(message) / charactersPerToken) + tokensPerMessage;
}

function countCharacters(message: Message): number {
  if (message.role === 'tool') return sum(message.results.map(({ text }) => text.length));
  return sum(
    message.content.map((part) =>
      part.type === 'tool-call' ? part.name.length + JSON.stringify(part.input).length : part.text.length,
    ),
  );
}

/**
 * How many tokens a conversation takes in a model's context: what the newest answer was told to have taken, and an
 * estimate of what came after it.
 */
export function contextTokensOf(conversation: readonly HistoryEntry[]): number {
  const counted = conversation.findLastIndex(({ usage }) => tokensOf(usage) !== undefined);
  const rest = conversation.slice(counted + 1).map(({ message }) => estimateTokens(message));
  return (tokensOf(conversation[counted]?.usage) ?? 0) + sum(rest);
}

function tokensOf(usage: HistoryEntry['usage']): number | undefined {
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined) return undefined;
  return (
    usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0) + usage.outputTokens
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
