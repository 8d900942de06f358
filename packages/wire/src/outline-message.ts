import { readMembers, readOptionalText, readSpan, readText } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { RefusedBody } from './errors.ts';
import { readContent } from './outline-content.ts';
import type { Content, Message } from './outline.ts';

/** One entry of `messages`. */
export function readMessage(cursor: Cursor): Message {
  const start = cursor.at;
  let role: string | undefined;
  let content: Content | undefined;
  let clearAt: string | undefined;
  readMembers(cursor, messageKeys, (key) => {
    if (key === 'role') role = readText(cursor);
    else if (key === 'content') content = readContent(cursor);
    else if (key === 'clear_at') clearAt = readOptionalText(cursor);
    else readSpan(cursor);
  });
  if (role === undefined || content === undefined) throw new RefusedBody('unknown-shape', start);
  const isTurnScoped = clearAt !== undefined && clearAt !== 'never';
  return { span: { start, end: cursor.at }, role, content, isTurnScoped };
}

const messageKeys: ReadonlySet<string> = new Set(['role', 'content', 'clear_at']);
