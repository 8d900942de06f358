import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';

/** JSON with its spelling left open. `raw` is spelled as it stands. */
export type Json =
  | { readonly type: 'raw'; readonly text: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'array'; readonly items: readonly Json[] }
  | { readonly type: 'object'; readonly members: readonly (readonly [key: string, value: Json])[] };

export const raw = (text: string): Json => ({ type: 'raw', text });
export const string = (value: string): Json => ({ type: 'string', value });
export const array = (items: readonly Json[]): Json => ({ type: 'array', items });
export const object = (members: readonly (readonly [string, Json])[]): Json => ({ type: 'object', members });

/** Bodies are bytes: what a gateway sees of a text. */
export function latin1Of(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The value of a piece of a latin1 view, read by the engine's own parser. */
export function parseLatin1(latin1: string): unknown {
  return JSON.parse(Buffer.from(latin1, 'latin1').toString('utf8'));
}

/** Prints JSON with white space and escapes chosen by `seed`; 0 is the plain spelling. */
export function printJson(json: Json, seed: number): string {
  const roll = createDice(seed);
  const space = (): string => (seed === 0 ? '' : (spaces[roll(24)] ?? ''));
  const print = (value: Json): string => {
    if (value.type === 'raw') return value.text;
    if (value.type === 'string') return printString(value.value, seed === 0 ? () => 1 : roll);
    if (value.type === 'array') return `[${space()}${value.items.map(item).join(',')}]`;
    return `{${space()}${value.members.map(member).join(',')}}`;
  };
  const item = (value: Json): string => `${space()}${print(value)}${space()}`;
  const member = ([key, value]: readonly [string, Json]): string =>
    `${space()}${print(string(key))}${space()}:${item(value)}`;
  return item(json);
}

const spaces = [' ', '\n', '\t', '\r\n', '  ', '\n    '];

function printString(value: string, roll: (sides: number) => number): string {
  let text = '"';
  for (const character of value) {
    const isLoneSurrogate = character.length === 1 && character >= '\ud800' && character <= '\udfff';
    const plain = JSON.stringify(character).slice(1, -1);
    text += isLoneSurrogate || roll(9) === 0 ? escapeUnits(character, roll) : plain;
  }
  return `${text}"`;
}

function escapeUnits(character: string, roll: (sides: number) => number): string {
  if (character === '/' && roll(2) === 0) return '\\/';
  return character
    .split('')
    .map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
    .map((hex) => `\\u${roll(2) === 0 ? hex.toUpperCase() : hex}`)
    .join('');
}

/** A small generator of numbers below `sides` (mulberry32), so that a spelling can be printed again. */
export function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

export const spelling: fc.Arbitrary<number> = fc.oneof(fc.constant(0), fc.nat());

/** Texts that break scanners: quotes, backslashes, raw and broken Unicode, control characters, brackets. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      '"',
      '\\',
      '\\\\',
      '\\"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\n',
      '\u0000',
      '\u2028',
      '/',
      'é',
      'ü中🚀',
      '\ud800',
      '\udc00',
      'a',
      'tools',
      'null',
      '\u00c3\u00a9',
      '\u007f',
      ' ',
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

const hugeText = fc.constantFrom('\\'.repeat(301), '\\"'.repeat(150), 'x'.repeat(900), '"'.repeat(99));

const numberSpelling = fc.constantFrom(
  '0',
  '-0',
  '1.0',
  '1e5',
  '1E+05',
  '-1.50e-07',
  '123456789012345678901234567890',
  '5',
);

const literal = fc.constantFrom('true', 'false', 'null');

/** A value that looks like what an outline searches for. */
const lookAlike = fc.constantFrom(
  object([
    ['type', string('tool_reference')],
    ['tool_name', string('decoy')],
  ]),
  object([
    ['cache_control', object([['type', string('ephemeral')]])],
    ['tools', array([])],
  ]),
  object([
    ['role', raw('5')],
    ['role', raw('6')],
    ['messages', raw('null')],
  ]),
);

/** Any value that holds no members. */
export const unreadScalar: fc.Arbitrary<Json> = fc.oneof(
  fc.oneof(numberSpelling, literal).map(raw),
  fc.oneof({ arbitrary: hostileText, weight: 20 }, { arbitrary: hugeText, weight: 1 }).map(string),
  fc.integer({ min: 1, max: 300 }).map((depth) => raw('['.repeat(depth) + ']'.repeat(depth))),
);

/** Any JSON, duplicate keys and look-alikes included: for places that an outline does not read. */
export const unreadJson: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    unreadScalar,
    lookAlike,
    fc.array(tie('json'), { maxLength: 4 }).map(array),
    fc
      .array(
        fc.tuple(fc.constantFrom('a', 'a', 'name', 'type', '', '__proto__', '"\\', '7', 'é'), tie('json')),
        { maxLength: 4 },
      )
      .map(object),
  ),
})).json;
