import type { PromptPosition } from './prompt.ts';

/**
 * A cache that the provider fills by itself: what it remembers of a prompt is the prompt, without marks. It compares
 * whole pieces (a message, a tool), so it never claims more than a real one would read.
 */
export interface PrefixCache {
  /** Tokens of the longest unexpired prefix that `positions` share with an earlier prompt of the scope; 0 without one. */
  read(scope: string, positions: readonly PromptPosition[], nowMs: number): number;
  /** Remembers a prompt until `endsAtMs`; called when the answer that pays for it begins. */
  write(scope: string, positions: readonly PromptPosition[], endsAtMs: number): void;
  clear(): void;
}

const maxEntries = 200_000;

export function createPrefixCache(): PrefixCache {
  const entries = new Map<string, number>();
  return {
    read(scope, positions, nowMs) {
      const shared = positions.findLast(({ hash }) => nowMs < (entries.get(`${scope}:${hash}`) ?? 0));
      return shared?.tokens ?? 0;
    },
    write(scope, positions, endsAtMs) {
      if (entries.size > maxEntries) entries.clear();
      for (const { hash } of positions) entries.set(`${scope}:${hash}`, endsAtMs);
    },
    clear: () => entries.clear(),
  };
}
