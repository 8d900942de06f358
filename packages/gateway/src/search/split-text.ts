import { type ContentBlock, findMember } from '@quartermaster/wire';

/**
 * Where the text block `block` is to be cut so that its first part has `length` UTF-16 units: a position in its own JSON
 * string. `undefined` where cutting there would not leave two text blocks behind.
 */
export function splitPosition(text: string, { span }: ContentBlock, length: number): number | undefined {
  const isString = text[span.start] === '"';
  if (!isString && !startsAsText.test(text.slice(span.start, span.start + maxOpening))) return undefined;
  const string = isString ? span : findMember(span, text, 'text');
  if (string === undefined) return undefined;
  let units = 0;
  let at = string.start + 1;
  while (units < length && at < string.end - 1) {
    const { bytes, count } = characterAt(text, at);
    units += count;
    at += bytes;
  }
  return units === length ? at : undefined;
}

/** What is put where a text is cut: the end of one block, and the beginning of the next. */
export const textEnd = '"}';
/** The beginning of the text block behind it. */
export const textStart = '{"type":"text","text":"';

/** The text stands right behind the type: what else the block holds stays with its second part. */
const startsAsText = /^\{\s*"type"\s*:\s*"text"\s*,\s*"text"\s*:/;
const maxOpening = 256;

/** How many bytes a character of a JSON string takes, and how many UTF-16 units it stands for. */
function characterAt(text: string, at: number): { readonly bytes: number; readonly count: number } {
  const code = text.charCodeAt(at);
  if (code === backslash) return { bytes: text[at + 1] === 'u' ? 6 : 2, count: 1 };
  if (code < 0x80) return { bytes: 1, count: 1 };
  if (code < 0xe0) return { bytes: 2, count: 1 };
  return code < 0xf0 ? { bytes: 3, count: 1 } : { bytes: 4, count: 2 };
}

const backslash = 0x5c;
