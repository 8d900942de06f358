import { mergeAnthropicUsage, readAnthropicUsage, type Usage } from '@quartermaster/wire';

/** What the messages of one turn told of their usage: one, or several where the provider was asked to go on (Q4). */
export interface TurnUsage {
  /** A message begins. */
  start(): void;
  /** What it tells, now or later: the latest figures stand. */
  add(raw: unknown): void;
  /** Of the whole turn; `undefined` where a message told none. */
  total(): Usage | undefined;
  /** Of the message under way. */
  current(): Usage | undefined;
  /** How many messages began. */
  messages(): number;
}

/** For one turn. */
export function createTurnUsage(): TurnUsage {
  let before: Usage | undefined;
  let current: Usage | undefined;
  let messages = 0;
  return {
    start() {
      if (messages > 0) before = messages === 1 ? current : addUsages(before, current);
      messages += 1;
      current = undefined;
    },
    add(raw) {
      const told = readAnthropicUsage(raw);
      if (told !== undefined) current = mergeAnthropicUsage(current, told);
    },
    total: () => (messages > 1 ? addUsages(before, current) : current),
    current: () => current,
    messages: () => messages,
  };
}

/** A figure that one of the messages did not tell is not known of their sum. */
function addUsages(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  if (left === undefined || right === undefined) return undefined;
  const sum = (key: keyof Omit<Usage, 'raw' | 'terms'>): number | undefined => {
    const [one, other] = [left[key], right[key]];
    return one === undefined || other === undefined ? undefined : one + other;
  };
  return {
    inputTokens: sum('inputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheWriteShortTokens: sum('cacheWriteShortTokens'),
    cacheWriteLongTokens: sum('cacheWriteLongTokens'),
    outputTokens: sum('outputTokens'),
    terms: right.terms,
    raw: right.raw,
  };
}
