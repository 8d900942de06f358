import { RefusedBody } from './errors.ts';

/** `true`, `false` or `null`; `undefined` where none begins. */
export function skipLiteral(text: string, at: number): number | undefined {
  for (const literal of literals) {
    if (text.startsWith(literal, at)) return at + literal.length;
  }
  return undefined;
}

const literals = ['true', 'false', 'null'] as const;

/** A number as RFC 8259 spells it: no leading zero or plus, digits on both sides of the point. */
export function skipNumber(text: string, start: number): number {
  let at = text.startsWith('-', start) ? start + 1 : start;
  at = text.startsWith('0', at) ? at + 1 : skipDigits(text, at);
  if (text.startsWith('.', at)) at = skipDigits(text, at + 1);
  if (text.startsWith('e', at) || text.startsWith('E', at)) {
    const isSigned = text.startsWith('+', at + 1) || text.startsWith('-', at + 1);
    at = skipDigits(text, isSigned ? at + 2 : at + 1);
  }
  return at;
}

/** One digit or more. */
function skipDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  if (at === start) throw new RefusedBody('not-json', start);
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
