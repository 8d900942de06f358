/** One tool of the outgoing list as mark placement sees it. */
export interface PlacedTool {
  readonly isLoaded: boolean;
  /** Whether the client put a cache mark on it. */
  readonly isMarked: boolean;
}

/** Moves the client's mark from the tool at `from` to the tool at `to`; `search` is the entry after the last tool. */
export interface MarkMove {
  readonly from: number;
  readonly to: number | 'search';
}

/**
 * Where the names list of a thread stands, fixed with its decision:
 * inside the client's own system message at index 1, in a system message of its own, or as the last block of `system`.
 */
export type NamesPlace = 'client-system-message' | 'own-system-message' | 'top-level-system';

/** A message as placement sees it. */
export interface PlacedMessage {
  readonly role: string;
  /** Whether its text is rendered for ever: not turn-scoped, and not an effort-only message. */
  readonly isLasting: boolean;
}
