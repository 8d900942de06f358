import type { Span } from './span.ts';

/** Replaces `span` by `text` (latin1, JSON escapes for everything beyond ASCII). An empty span inserts. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}
