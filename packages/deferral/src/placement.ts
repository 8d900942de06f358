/** One tool of the outgoing list as mark placement sees it. */
export interface PlacedTool {
  /** Not deferred, by us or by the client; a server tool is loaded. */
  readonly isLoaded: boolean;
  /** Whether the client put a cache mark on it. */
  readonly isMarked: boolean;
}

/**
 * Moves the client's mark from the tool at `from` to the tool at `to`; `search` is the entry after the last tool.
 * The moves of one request are made at once: a tool may give its mark away and take another's.
 */
export interface MarkMove {
  readonly from: number;
  readonly to: number | 'search';
}

/** The moves that leave no mark on a deferred tool, or that there is no place for one of the marks. */
export type MarkPlacement =
  | { readonly type: 'placed'; readonly moves: readonly MarkMove[] }
  | { readonly type: 'no-room' };

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

/** Where a request takes the names list; `none` where it has no legal place for a message of our own. */
export type NamesPosition =
  | { readonly type: 'inside-message'; readonly index: number }
  /** The new message gets this index; those from there on move up by one. */
  | { readonly type: 'new-message'; readonly index: number }
  | { readonly type: 'top-level-system' }
  | { readonly type: 'none' };
