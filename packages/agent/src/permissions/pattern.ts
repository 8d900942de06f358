/**
 * Whether a pattern covers a target. `maybe`: something of the target is not known before it happens. An `allow` needs a
 * `yes`; for an `ask` or a `deny` a `maybe` is enough to ask.
 */
export type Certainty = 'yes' | 'maybe' | 'no';

/** A compiled pattern, or why the text can be none. */
export type Pattern<Target> =
  | { readonly type: 'pattern'; readonly match: (target: Target) => Certainty }
  | { readonly type: 'refused'; readonly reason: string };
