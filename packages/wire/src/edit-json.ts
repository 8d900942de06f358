import { readItems, readMembers, readSpan } from './cursor.ts';
import type { Edit } from './edit.ts';
import { WireError } from './errors.ts';
import { codes, skipSpace, skipSpaceBack } from './scan.ts';
import type { Span } from './span.ts';

/**
 * Makers of edits that keep JSON valid. Spans are those of an outline of the same text; JSON parts are ASCII, as
 * `asciiJson` prints them, or pieces of the text itself. Not to be used together on one object or array: two
 * insertions into an empty one, or an insertion and the removal of all that was in it.
 */

/**
 * JSON in ASCII, so that it reads the same as latin1 and as UTF-8: everything beyond is spelled `\uXXXX`.
 *
 * @throws WireError `WIRE_VALUE_NOT_JSON` for `undefined`, a function, a bigint, a circle.
 */
export function asciiJson(value: unknown): string {
  return stringify(value).replace(/[\u0080-\uffff]/g, escapeUnit);
}

function stringify(value: unknown): string {
  let json: string | undefined;
  let cause: unknown;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (json !== undefined) return json;
  throw new WireError('WIRE_VALUE_NOT_JSON', `Expected a value that JSON can hold, got ${typeof value}.`, {
    cause,
  });
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Puts `json` in the place of a value. */
export function replaceValue(span: Span, json: string): Edit {
  return { span, text: json };
}

/** Adds `memberJson` (`"key":value`) as the last member of an object, right behind the last one's value. */
export function insertMember(objectSpan: Span, text: string, memberJson: string): Edit {
  return insertLast(objectSpan, text, memberJson);
}

/**
 * Gives an object the member `key`: replaces the value where one stands (a `null` too, which an outline tells as
 * absent), else adds it as the last.
 *
 * @throws WireError `WIRE_BODY_REFUSED` where the key stands twice.
 */
export function setMember(objectSpan: Span, text: string, key: string, valueJson: string): Edit {
  const value = findMember(objectSpan, text, key);
  if (value !== undefined) return replaceValue(value, valueJson);
  return insertMember(objectSpan, text, `${asciiJson(key)}:${valueJson}`);
}

/**
 * The value of the object's member `wanted`, or `undefined` where there is none.
 *
 * @throws WireError `WIRE_BODY_REFUSED` where the key stands twice.
 */
export function findMember(objectSpan: Span, text: string, wanted: string): Span | undefined {
  let found: Span | undefined;
  const cursor = { text, at: objectSpan.start };
  readMembers(cursor, new Set([wanted]), (key) => {
    const value = readSpan(cursor);
    if (key === wanted) found = value;
  });
  return found;
}

/**
 * The items of an array, in order.
 *
 * @throws WireError `WIRE_BODY_REFUSED` where the value is none.
 */
export function findItems(arraySpan: Span, text: string): readonly Span[] {
  const items: Span[] = [];
  const cursor = { text, at: arraySpan.start };
  readItems(cursor, () => {
    items.push(readSpan(cursor));
  });
  return items;
}

/** Adds `itemJson` as the last item of an array, right behind the last one. */
export function appendItem(arraySpan: Span, text: string, itemJson: string): Edit {
  return insertLast(arraySpan, text, itemJson);
}

/** Adds `itemJson` right behind an item that stays. */
export function insertItemAfter(itemSpan: Span, itemJson: string): Edit {
  return insertAt(itemSpan.end, `,${itemJson}`);
}

function insertLast(container: Span, text: string, json: string): Edit {
  const at = skipSpaceBack(text, container.end - 1);
  const isEmpty = at === container.start + 1;
  return insertAt(at, isEmpty ? json : `,${json}`);
}

function insertAt(at: number, text: string): Edit {
  return { span: { start: at, end: at }, text };
}

/** Takes out a member of an object with one comma; white space stays. For several of one object: `removeItems`. */
export function removeMember(text: string, memberSpan: Span): Edit {
  const isLast = commaAfter(text, memberSpan) === undefined;
  return removeItem(text, memberSpan, isLast ? commaBefore(text, memberSpan) : undefined);
}

/** Takes out any number of items of one array (or members of one object) and as many commas; white space stays. */
export function removeItems(text: string, spans: readonly Span[]): readonly Edit[] {
  const ordered = spans.toSorted((a, b) => a.start - b.start);
  const tail = startOfTail(text, ordered);
  return ordered.map((span, index) =>
    removeItem(text, span, index === tail ? commaBefore(text, span) : undefined),
  );
}

/** Index of the first of those spans that leave nothing behind them in their container. */
function startOfTail(text: string, ordered: readonly Span[]): number {
  let index = ordered.length;
  let nextStart: number | undefined;
  for (const span of ordered.toReversed()) {
    const comma = commaAfter(text, span);
    const following = comma === undefined ? undefined : skipSpace(text, comma + 1);
    if (following !== nextStart) break;
    nextStart = span.start;
    index -= 1;
  }
  return index;
}

/** An item goes with the comma after it, if there is one, and with the comma at `before`, if one is named. */
function removeItem(text: string, span: Span, before: number | undefined): Edit {
  const after = commaAfter(text, span);
  const start = before ?? span.start;
  const end = after === undefined ? span.end : after + 1;
  const spaceBefore = before === undefined ? '' : text.slice(before + 1, span.start);
  const spaceAfter = after === undefined ? '' : text.slice(span.end, after);
  return { span: { start, end }, text: spaceBefore + spaceAfter };
}

function commaAfter(text: string, span: Span): number | undefined {
  const at = skipSpace(text, span.end);
  return text.charCodeAt(at) === codes.comma ? at : undefined;
}

function commaBefore(text: string, span: Span): number | undefined {
  const at = skipSpaceBack(text, span.start) - 1;
  return text.charCodeAt(at) === codes.comma ? at : undefined;
}
