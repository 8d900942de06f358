import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { outlineMessages } from '@quartermaster/wire';
import type { MessagesOutline } from '@quartermaster/wire';
import { expectOutline, resolveOutline } from './expected-outline.ts';
import { hostileBody } from './hostile-body.ts';
import { createDice, latin1Of, parseLatin1, printJson, spelling } from './hostile-json.ts';
import type { Json } from './hostile-json.ts';

export interface Runs {
  readonly numRuns: number;
  readonly seed: number;
}

/** A body as bytes, in every spelling that JSON allows. */
export function spelled(body: fc.Arbitrary<Json>): fc.Arbitrary<string> {
  return fc.tuple(body, spelling).map(([json, seed]) => latin1Of(printJson(json, seed)));
}

/** The outline of a text that has one. */
export function requireOutline(text: string): MessagesOutline {
  const result = outlineMessages(text);
  if (result.type === 'refused') throw new Error(`${result.reason} at ${result.at} of ${text}`);
  return result.outline;
}

/** Every part of an outline equals what a parser reads, and every span is exactly its value. */
export function checkOutlineIsExact(runs: Runs): void {
  fc.assert(
    fc.property(spelled(hostileBody), (text) => {
      const told = resolveOutline(text, requireOutline(text));
      const expected = expectOutline({ ...Object(parseLatin1(text)) });
      if (!isDeepStrictEqual(told, expected)) expect(told).toEqual(expected);
    }),
    runs,
  );
}

/** Damaged bodies are never accepted where a parser refuses them, nor called no JSON where it reads them. */
export function checkDamagedIsRefused(runs: Runs): void {
  fc.assert(
    fc.property(spelled(hostileBody), fc.nat(), (text, seed) => {
      const damaged = damage(text, createDice(seed));
      const result = outlineMessages(damaged);
      if (result.type === 'outline') expect(isJson(withoutStringContents(damaged))).toBe(true);
      else if (result.reason === 'not-json') expect(isJson(damaged)).toBe(false);
    }),
    runs,
  );
}

/** Texts made of JSON's own characters get the parser's verdict. */
export function checkScannerAgrees(runs: Runs): void {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"a":',
    '\\',
    '0',
    '1',
    '-',
    '+',
    '.',
    'e',
    'E',
    'true',
    'null',
    'fals',
    ' ',
    '\t',
    '\u000b',
    '\ufeff',
    '\u00a0',
  );
  const text = fc.array(token, { maxLength: 10 }).map((tokens) => latin1Of(tokens.join('')));
  fc.assert(
    fc.property(text, (value) => {
      const body = `{"x":${value}}`;
      expect(outlineMessages(body).type).toBe(isJson(withoutStringContents(body)) ? 'outline' : 'refused');
    }),
    runs,
  );
}

function damage(text: string, roll: (sides: number) => number): string {
  const at = roll(text.length + 1);
  const piece = '{}[],:"\\0-.eEtn \u0000\u00ef'.charAt(roll(18));
  const kinds = [
    () => text.slice(0, at),
    () => text.slice(at),
    () => text.slice(0, at) + piece + text.slice(at),
    () => text.slice(0, at) + piece + text.slice(at + 1),
    () => text.slice(0, at) + text.slice(at + 1 + roll(9)),
    () => text.slice(0, at) + text.slice(roll(text.length + 1)),
  ];
  return (kinds[roll(kinds.length)] ?? String)();
}

/** The outline looks into strings only where it hands them out. */
function withoutStringContents(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[^])*"/g, '""');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
