import { isAt, readMembers, readNull, readOptionalText, readSpan, readTextIfAny } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { RefusedBody } from './errors.ts';
import type { CacheMark } from './outline.ts';
import { codes } from './scan.ts';

/** What a `cache_control` without `ttl` lives. */
const defaultTtl = '5m';

/** The value of a `cache_control` whose key begins at `keyAt`: a mark or `null`; refuses anything else. */
export function readMark(cursor: Cursor, keyAt: number): CacheMark | undefined {
  if (readNull(cursor)) return undefined;
  const valueAt = cursor.at;
  const mark = readMarkIfAny(cursor, keyAt);
  if (mark === undefined) throw new RefusedBody('unknown-shape', valueAt);
  return mark;
}

/** The same where a key of that name need not be a mark, as deep inside of a block; skips what is none. */
export function readMarkIfAny(cursor: Cursor, keyAt: number): CacheMark | undefined {
  const start = cursor.at;
  if (!isAt(cursor, codes.openBrace)) {
    readSpan(cursor);
    return undefined;
  }
  let type: string | undefined;
  let ttl: string | undefined;
  readMembers(cursor, markKeys, (key) => {
    if (key === 'type') type = readTextIfAny(cursor);
    else if (key === 'ttl') ttl = readOptionalText(cursor);
    else readSpan(cursor);
  });
  if (type !== 'ephemeral') return undefined;
  return { span: { start: keyAt, end: cursor.at }, value: { start, end: cursor.at }, ttl: ttl ?? defaultTtl };
}

const markKeys: ReadonlySet<string> = new Set(['type', 'ttl']);
