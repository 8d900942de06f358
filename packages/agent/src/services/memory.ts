/** One thing to remember about a user. */
export interface MemoryEntry {
  readonly id: string;
  readonly text: string;
  /** Epoch ms. */
  readonly rememberedAtMs: number;
}

/** What is known about one user, across sessions. */
export interface Memory {
  remember(text: string): Promise<MemoryEntry>;
  /** The entries that share words with `query`, best first. */
  recall(query: string, options?: { readonly limit?: number }): Promise<readonly MemoryEntry[]>;
  /** Newest first. */
  list(): Promise<readonly MemoryEntry[]>;
  /** Whether there was one. */
  forget(id: string): Promise<boolean>;
}
