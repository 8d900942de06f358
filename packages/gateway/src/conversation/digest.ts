import { crc32 } from 'node:zlib';
import type { ContentBlock } from '@quartermaster/wire';

/**
 * Tells texts apart: checksum and length. Enough where whatever stands beside a text has to be the same too, and at a
 * tenth of what a cryptographic hash of every request costs.
 */
export function digestOf(text: string): number {
  return (text.length % 2 ** 21) * 2 ** 32 + crc32(text);
}

/** The same bytes for the same block, whether it is marked or not, and for a string as for a text block. */
export function unmarked(text: string, item: Pick<ContentBlock, 'span' | 'mark'>): string {
  const { span, mark } = item;
  if (text[span.start] === '"') return `{"type":"text","text":${text.slice(span.start, span.end)}}`;
  if (mark === undefined) return text.slice(span.start, span.end);
  const before = text.slice(span.start, mark.span.start).trimEnd();
  const after = text.slice(mark.span.end, span.end).trimStart();
  return before.endsWith(',') ? before.slice(0, -1) + after : before + after.replace(/^,\s*/, '');
}
