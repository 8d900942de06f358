import { isAt, readItems, readMembers, readSpan, readTextIfAny } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { RefusedBody } from './errors.ts';
import { readMarkIfAny } from './outline-mark.ts';
import type { CacheMark } from './outline.ts';
import { codes } from './scan.ts';

/** What the values inside of one block tell, in the order of the text. */
export interface Nested {
  readonly references: string[];
  readonly marks: CacheMark[];
  hasImage: boolean;
}

/**
 * No API nests a reference or a mark deeper than six values below a block (a document's own blocks in a tool
 * result); what lies below this is skipped. The bound keeps recursion off the stack's end.
 */
const deepestLevel = 16;

/** The model's own arguments and JSON schemas: whatever they hold is data and no reference or mark. */
const opaqueKeys: ReadonlySet<string> = new Set(['input', 'input_schema']);

/** Adds what a member of a block tells beyond what `readBlock` reads itself. */
export function readNestedMember(cursor: Cursor, key: string, nested: Nested, level = 1): void {
  if (opaqueKeys.has(key)) readSpan(cursor);
  else readNestedValue(cursor, nested, level);
}

function readNestedValue(cursor: Cursor, nested: Nested, level: number): void {
  if (level > deepestLevel) readSpan(cursor);
  else if (isAt(cursor, codes.openBracket))
    readItems(cursor, () => readNestedValue(cursor, nested, level + 1));
  else if (isAt(cursor, codes.openBrace)) readNestedObject(cursor, nested, level);
  else readSpan(cursor);
}

function readNestedObject(cursor: Cursor, nested: Nested, level: number): void {
  const start = cursor.at;
  let type: string | undefined;
  let toolName: string | undefined;
  let name: string | undefined;
  readMembers(cursor, nestedKeys, (key, keyAt) => {
    if (key === 'type') type = readTextIfAny(cursor);
    else if (key === 'tool_name') toolName = readTextIfAny(cursor);
    else if (key === 'name') name = readTextIfAny(cursor);
    else if (key === 'cache_control') addMark(nested, readMarkIfAny(cursor, keyAt));
    else readNestedMember(cursor, key, nested, level + 1);
  });
  if (type === 'tool_reference') nested.references.push(requireReferenced(toolName ?? name, start));
  if (type === 'image') nested.hasImage = true;
}

const nestedKeys: ReadonlySet<string> = new Set(['type', 'tool_name', 'name', 'cache_control']);

function addMark(nested: Nested, mark: CacheMark | undefined): void {
  if (mark !== undefined) nested.marks.push(mark);
}

/**
 * The tool that a `tool_reference` at `start` names: `tool_name` in results, `name` in `tool_addition` and
 * `tool_removal`.
 */
export function requireReferenced(name: string | undefined, start: number): string {
  if (name === undefined) throw new RefusedBody('unknown-shape', start);
  return name;
}
