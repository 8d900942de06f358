import { isAt, readItems, readSpan } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { readBlock } from './outline-block.ts';
import type { Content, ContentBlock } from './outline.ts';
import { codes } from './scan.ts';
import type { Span } from './span.ts';

/** The `content` of a message or the value of `system`: a string or an array of blocks. */
export function readContent(cursor: Cursor): Content {
  if (isAt(cursor, codes.quote)) {
    const span = readSpan(cursor);
    return { span, spelling: 'string', blocks: [textBlock(span)] };
  }
  const start = cursor.at;
  const blocks: ContentBlock[] = [];
  readItems(cursor, () => {
    blocks.push(readBlock(cursor));
  });
  return { span: { start, end: cursor.at }, spelling: 'blocks', blocks };
}

/** The block that a content spelled as a string stands for. */
function textBlock(span: Span): ContentBlock {
  return {
    span,
    type: 'text',
    mark: undefined,
    name: undefined,
    callId: undefined,
    references: [],
    isSigned: false,
    nestedMarks: [],
    holdsImage: false,
  };
}
