/** Asks one provider which models there are. */
export interface ModelLister {
  /** Changes with all that the answer depends on, as address and credential; holds neither of them in the clear. */
  readonly scope: string;
  /**
   * The ids of all models, every page of them. Rejects when they can't be had. Contract: a client opened for it is closed
   * when the promise settles, and nothing of it goes on after `signal` (M4).
   */
  list(options: { readonly signal: AbortSignal }): Promise<readonly string[]>;
}

/** What is known of a provider's models before anyone asks it. */
export interface ModelProvider {
  /** As in `anthropic/claude-…`. */
  readonly name: string;
  /** Absent where there is no credential to ask with. */
  readonly lister?: ModelLister;
  /** Models that are known to exist or to have existed; no authority. */
  readonly staticModels: readonly string[];
  /** The successor of each deprecated name (M3). */
  readonly successors?: Readonly<Record<string, string>>;
  /** Whether an id that nobody lists is one of this provider by its look. */
  readonly owns: (id: string) => boolean;
  /** Other spellings under which the listing may hold the same model, as with and without a date. */
  readonly spellings?: (id: string) => readonly string[];
}
