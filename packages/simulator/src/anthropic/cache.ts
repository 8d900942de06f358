import type { Position } from './render.ts';
import type { CacheLife } from './request.ts';

/** The prompt cache of one simulated provider. */
export interface PromptCache {
  /**
   * The number of the position where the longest hit ends, or -1 (rule 9): per breakpoint the newest unexpired entry
   * among it and the 19 positions before. The entry that is read lives on for its whole life again.
   */
  read(scope: string, positions: readonly Position[], nowMs: number): number;
  /** Makes entries readable; called when the response that pays for them begins (rule 10). */
  write(scope: string, entries: readonly CacheWrite[], nowMs: number): void;
  clear(): void;
}

export interface CacheWrite {
  readonly hash: string;
  readonly life: CacheLife;
}

interface Entry {
  readonly lifeMs: number;
  endsAtMs: number;
}

const lookBack = 20;
const lifeMs: Readonly<Record<CacheLife, number>> = { '5m': 300_000, '1h': 3_600_000 };
const maxEntries = 100_000;

/** An empty cache. A scope is a workspace; the model is part of each hash. */
export function createPromptCache(): PromptCache {
  const entries = new Map<string, Entry>();
  return {
    read(scope, positions, nowMs) {
      const live = (position: Position | undefined): Entry | undefined => {
        const entry = position === undefined ? undefined : entries.get(`${scope}:${position.hash}`);
        return entry !== undefined && nowMs < entry.endsAtMs ? entry : undefined;
      };
      const marked = positions.flatMap((position, index) => (position.mark === undefined ? [] : [index]));
      const hit = Math.max(
        -1,
        ...marked.map((index) =>
          newestBefore(index, (candidate) => live(positions[candidate]) !== undefined),
        ),
      );
      const entry = live(positions[hit]);
      if (entry !== undefined) entry.endsAtMs = nowMs + entry.lifeMs;
      return hit;
    },
    write(scope, writes, nowMs) {
      if (entries.size > maxEntries) dropExpired(entries, nowMs);
      for (const { hash, life } of writes) {
        entries.set(`${scope}:${hash}`, { lifeMs: lifeMs[life], endsAtMs: nowMs + lifeMs[life] });
      }
    },
    clear: () => entries.clear(),
  };
}

function newestBefore(index: number, isLive: (index: number) => boolean): number {
  for (let candidate = index; candidate > index - lookBack && candidate >= 0; candidate -= 1) {
    if (isLive(candidate)) return candidate;
  }
  return -1;
}

function dropExpired(entries: Map<string, Entry>, nowMs: number): void {
  for (const [key, entry] of entries) {
    if (nowMs >= entry.endsAtMs) entries.delete(key);
  }
}
