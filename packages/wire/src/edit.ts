import { WireError } from './errors.ts';
import type { Span } from './span.ts';

/** Replaces `span` by `text` (latin1, JSON escapes for everything beyond ASCII). An empty span inserts. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/**
 * `text` with all edits made (RW7: every other character stays). They may come in any order; insertions at one
 * position keep theirs, and stand before what an edit that starts there puts.
 *
 * @throws WireError `WIRE_EDITS_OVERLAP`, `WIRE_EDIT_OUT_OF_RANGE`, `WIRE_EDIT_NOT_LATIN1`.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { span, text: inserted } of orderEdits(text, edits)) {
    parts.push(text.slice(at, span.start), inserted);
    at = span.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/**
 * The edits that, applied to `applyEdits(original, edits)`, give `original` back.
 *
 * @throws WireError as `applyEdits` does.
 */
export function undoEdits(original: string, edits: readonly Edit[]): readonly Edit[] {
  let shift = 0;
  return orderEdits(original, edits).map(({ span, text }) => {
    const start = span.start + shift;
    const end = start + text.length;
    shift = end - span.end;
    return { span: { start, end }, text: original.slice(span.start, span.end) };
  });
}

/** The edits in the order of their places, known to be sound. The sort is stable. */
function orderEdits(text: string, edits: readonly Edit[]): readonly Edit[] {
  const ordered = edits.toSorted((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  let at = 0;
  for (const edit of ordered) {
    requireSound(edit, text.length);
    if (edit.span.start < at) {
      throw new WireError(
        'WIRE_EDITS_OVERLAP',
        `Expected edits apart from each other; one starts at ${edit.span.start}, another ends at ${at}. Merge the two.`,
      );
    }
    at = edit.span.end;
  }
  return ordered;
}

function requireSound({ span, text }: Edit, length: number): void {
  const { start, end } = span;
  if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= length)) {
    throw new WireError(
      'WIRE_EDIT_OUT_OF_RANGE',
      `Expected a span within 0 and ${length}, got ${start} to ${end}. Take spans from an outline of this very text.`,
    );
  }
  if (!isLatin1(text)) {
    throw new WireError(
      'WIRE_EDIT_NOT_LATIN1',
      `The text of the edit at ${start} holds a character beyond one byte. Spell it with asciiJson.`,
    );
  }
}

function isLatin1(text: string): boolean {
  return !/[\u0100-\uffff]/.test(text);
}
