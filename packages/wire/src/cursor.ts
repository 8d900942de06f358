import { RefusedBody } from './errors.ts';
import { codes, skipColon, skipSpace, skipString, skipValue } from './scan.ts';
import type { Span } from './span.ts';
import { decodeUtf8 } from './utf8.ts';

/** A place in a latin1 text that readers move on: each starts at a value's first character and stops after it. */
export interface Cursor {
  readonly text: string;
  at: number;
}

/**
 * Visits each member of the object at the cursor, which stands at the member's value then; the visit has to move
 * it over that value. `key` is decoded. A key of `watched` that comes twice is refused: `JSON.parse` takes the
 * last, others may not.
 */
export function readMembers(
  cursor: Cursor,
  watched: ReadonlySet<string>,
  visit: (key: string, keyAt: number) => void,
): void {
  const { text } = cursor;
  requireOpener(cursor, codes.openBrace);
  const seen: string[] = [];
  for (let at = enter(cursor, codes.closeBrace); at !== undefined; at = next(cursor, codes.closeBrace)) {
    const keyEnd = skipString(text, at);
    const key = readKey(text, { start: at, end: keyEnd });
    cursor.at = skipColon(text, keyEnd);
    if (watched.has(key)) {
      if (seen.includes(key)) throw new RefusedBody('duplicate-key', at);
      seen.push(key);
    }
    visit(key, at);
  }
}

/** Visits each item of the array at the cursor, which stands at the item then; the visit has to move it over it. */
export function readItems(cursor: Cursor, visit: () => void): void {
  requireOpener(cursor, codes.openBracket);
  for (let at = enter(cursor, codes.closeBracket); at !== undefined; at = next(cursor, codes.closeBracket)) {
    visit();
  }
}

function requireOpener(cursor: Cursor, opener: number): void {
  if (isAt(cursor, opener)) return;
  // A text that is no JSON at all is told as such, whatever its shape.
  const { start } = readSpan(cursor);
  throw new RefusedBody('unknown-shape', start);
}

/** The place of the first item, or `undefined` past an empty container. */
function enter(cursor: Cursor, closer: number): number | undefined {
  cursor.at = skipSpace(cursor.text, cursor.at + 1);
  if (!isAt(cursor, closer)) return cursor.at;
  cursor.at += 1;
  return undefined;
}

/** The place of the next item, or `undefined` past the container's end. */
function next(cursor: Cursor, closer: number): number | undefined {
  cursor.at = skipSpace(cursor.text, cursor.at);
  const hasEnded = isAt(cursor, closer);
  if (!hasEnded && !isAt(cursor, codes.comma)) throw new RefusedBody('not-json', cursor.at);
  cursor.at += 1;
  if (hasEnded) return undefined;
  cursor.at = skipSpace(cursor.text, cursor.at);
  return cursor.at;
}

/** Whether the value at the cursor begins with the character `code`. */
export function isAt(cursor: Cursor, code: number): boolean {
  return cursor.text.charCodeAt(cursor.at) === code;
}

/** Any value, unread. */
export function readSpan(cursor: Cursor): Span {
  const start = cursor.at;
  cursor.at = skipValue(cursor.text, start);
  return { start, end: cursor.at };
}

/** Moves over a `null` and says so; stays where it is at anything else. */
export function readNull(cursor: Cursor): boolean {
  if (!cursor.text.startsWith('null', cursor.at)) return false;
  cursor.at += 4;
  return true;
}

/** A string, decoded; refuses any other value. */
export function readText(cursor: Cursor): string {
  const isString = isAt(cursor, codes.quote);
  const span = readSpan(cursor);
  if (!isString) throw new RefusedBody('unknown-shape', span.start);
  return decodeString(cursor.text, span);
}

/** A string, decoded, or `null`; refuses any other value. */
export function readOptionalText(cursor: Cursor): string | undefined {
  return readNull(cursor) ? undefined : readText(cursor);
}

/** A string, decoded; skips any other value. */
export function readTextIfAny(cursor: Cursor): string | undefined {
  if (isAt(cursor, codes.quote)) return readText(cursor);
  readSpan(cursor);
  return undefined;
}

function readKey(text: string, span: Span): string {
  const key = text.slice(span.start + 1, span.end - 1);
  // Keys beyond ASCII are none that we look for: only escapes can hide one of those.
  return key.includes('\\') ? decodeString(text, span) : key;
}

/**
 * The string that the JSON at `span` stands for. Bytes become characters before escapes are resolved: `\u00c3` is
 * a character of its own and not half of a UTF-8 sequence.
 */
function decodeString(text: string, span: Span): string {
  const content = text.slice(span.start + 1, span.end - 1);
  if (isPlain(content)) return content;
  const json = decodeUtf8(Uint8Array.from(content, (byte) => byte.charCodeAt(0)));
  try {
    return String(JSON.parse(`"${json}"`));
  } catch {
    throw new RefusedBody('not-json', span.start);
  }
}

/** Printable ASCII without escapes, as nearly all names are: it stands for itself. */
function isPlain(content: string): boolean {
  for (let at = 0; at < content.length; at += 1) {
    const code = content.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === codes.backslash) return false;
  }
  return true;
}
