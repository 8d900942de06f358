import type { MemoryOwner, MemoryRecord, MemoryStore } from '@quartermaster/store';
import { queryWords, wordsOf } from './words.ts';

/** What is known about one user, across sessions. */
export interface Memory {
  remember(text: string): Promise<MemoryRecord>;
  /** The entries that share words with `query`, best first; 10 unless `limit` says otherwise. */
  recall(query: string, options?: { readonly limit?: number }): Promise<readonly MemoryRecord[]>;
  /** Newest first. */
  list(): Promise<readonly MemoryRecord[]>;
  /** Whether there was one. */
  forget(id: string): Promise<boolean>;
}

/** What a memory is made of. */
export interface MemoryOptions {
  readonly store: MemoryStore;
  readonly owner: MemoryOwner;
  readonly clock: { now(): number };
  readonly ids: () => string;
}

const defaultLimit = 10;

/** The memory of one user. */
export function createMemory({ store, owner, clock, ids }: MemoryOptions): Memory {
  return {
    async remember(text) {
      const record = { id: ids(), text, rememberedAtMs: clock.now() };
      await store.save(owner, { ...record, words: wordsOf(text).join(' ') });
      return record;
    },
    recall: (query, { limit = defaultLimit } = {}) => store.search(owner, queryWords(query), limit),
    list: () => store.list(owner),
    forget: (id) => store.delete(owner, id),
  };
}
