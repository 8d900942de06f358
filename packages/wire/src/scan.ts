import { RefusedBody } from './errors.ts';
import { skipLiteral, skipNumber } from './scan-scalar.ts';

/**
 * Skipping over JSON without building values. Positions are those of a latin1 text; a function gets the first
 * character of what it skips and returns the position after it, or throws `RefusedBody` (`not-json`).
 *
 * Structure, literals and numbers are checked as `JSON.parse` does. What stands inside a skipped string is not
 * (bare control characters, unknown escapes): it can't move the string's end, the provider checks it anyway, and
 * checking here made skipping 2 to 3 times slower.
 */

export const codes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Any value. Nesting costs heap, not stack: 100,000 levels are fine. */
export function skipValue(text: string, start: number): number {
  if (text.charCodeAt(start) === codes.quote) return skipString(text, start);
  const closers: number[] = [];
  let at = start;
  for (;;) {
    const closer = closerOf(text.charCodeAt(at));
    if (closer === undefined) {
      at = skipScalar(text, at);
    } else {
      at = skipSpace(text, at + 1);
      if (text.charCodeAt(at) !== closer) {
        closers.push(closer);
        at = closer === codes.closeBrace ? skipKey(text, at) : at;
        continue;
      }
      at += 1;
    }
    at = skipClosers(text, at, closers);
    const open = closers.at(-1);
    if (open === undefined) return at;
    at = skipSpace(text, at + 1);
    if (open === codes.closeBrace) at = skipKey(text, at);
  }
}

/** After a value: closes what ends here. Stops at the comma before the next value, or after the outermost one. */
function skipClosers(text: string, start: number, closers: number[]): number {
  let at = start;
  for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
    at = skipSpace(text, at);
    const code = text.charCodeAt(at);
    if (code === codes.comma) return at;
    if (code !== closer) throw new RefusedBody('not-json', at);
    closers.pop();
    at += 1;
  }
  return at;
}

function closerOf(opener: number): number | undefined {
  if (opener === codes.openBrace) return codes.closeBrace;
  if (opener === codes.openBracket) return codes.closeBracket;
  return undefined;
}

function skipScalar(text: string, at: number): number {
  if (text.charCodeAt(at) === codes.quote) return skipString(text, at);
  return skipLiteral(text, at) ?? skipNumber(text, at);
}

/** A member's key, the colon and the white space around it. */
function skipKey(text: string, at: number): number {
  return skipColon(text, skipString(text, at));
}

/** From the end of a key to the start of its value. */
export function skipColon(text: string, keyEnd: number): number {
  const at = skipSpace(text, keyEnd);
  if (text.charCodeAt(at) !== codes.colon) throw new RefusedBody('not-json', at);
  return skipSpace(text, at + 1);
}

/** A string, quotes included: ends at the first quote that an even number of backslashes precedes. */
export function skipString(text: string, start: number): number {
  if (text.charCodeAt(start) !== codes.quote) throw new RefusedBody('not-json', start);
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let run = quote;
    while (text.charCodeAt(run - 1) === codes.backslash) run -= 1;
    if ((quote - run) % 2 === 0) return quote + 1;
  }
  throw new RefusedBody('not-json', start);
}

/** White space, of which there may be none. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  let code = text.charCodeAt(at);
  while (code <= 0x20 && isSpace(code)) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
}

/** The end of what stands before the white space that ends at `end`. */
export function skipSpaceBack(text: string, end: number): number {
  let at = end;
  while (isSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
