import { isAt, readItems, readMembers, readNull, readOptionalText, readSpan, readText } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { RefusedBody } from './errors.ts';
import { readContent } from './outline-content.ts';
import { readMark } from './outline-mark.ts';
import { readMessage } from './outline-message.ts';
import { readTool } from './outline-tool.ts';
import type { Items, KnownTools, MessagesOutline, OutlineResult, ToolEntry } from './outline.ts';
import { codes, skipSpace } from './scan.ts';

/**
 * Outlines the body of an Anthropic Messages request in one pass, without parsing it whole. `text` is the latin1
 * view of a UTF-8 body. Never throws. A refusal tells the first place that speaks against the body; an outline
 * means that all of it is JSON, except that strings are checked inside only where the outline hands them out (see
 * `scan.ts`). `knownTools` spares the reading of `tools` where their outline is known.
 */
export function outlineMessages(text: string, knownTools: KnownTools = noneKnown): OutlineResult {
  try {
    return { type: 'outline', outline: readBody({ text, at: skipSpace(text, 0) }, knownTools) };
  } catch (error) {
    if (error instanceof RefusedBody) return { type: 'refused', reason: error.reason, at: error.at };
    throw error;
  }
}

const noneKnown: KnownTools = () => undefined;

function readBody(cursor: Cursor, knownTools: KnownTools): MessagesOutline {
  if (!isAt(cursor, codes.openBrace)) {
    const { start } = readSpan(cursor);
    requireEnd(cursor);
    throw new RefusedBody('unknown-shape', start);
  }
  const outline = readRequest(cursor, knownTools);
  requireEnd(cursor);
  return outline;
}

function requireEnd({ text, at }: Cursor): void {
  const end = skipSpace(text, at);
  if (end !== text.length) throw new RefusedBody('not-json', end);
}

type Writable<Shape> = { -readonly [Key in keyof Shape]: Shape[Key] };

function readRequest(cursor: Cursor, knownTools: KnownTools): MessagesOutline {
  const start = cursor.at;
  const outline: Writable<Omit<MessagesOutline, 'span'>> = {
    model: undefined,
    isStreaming: false,
    metadataUserId: undefined,
    toolChoice: undefined,
    mark: undefined,
    system: undefined,
    tools: undefined,
    messages: undefined,
  };
  readMembers(cursor, requestKeys, (key, keyAt) => {
    if (key === 'cache_control') outline.mark = readMark(cursor, keyAt);
    else if (!requestKeys.has(key)) readSpan(cursor);
    else if (readNull(cursor)) return;
    else if (key === 'tools') outline.tools = readTools(cursor, knownTools);
    else readPart(cursor, key, outline);
  });
  return { span: { start, end: cursor.at }, ...outline };
}

const requestKeys: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'metadata',
  'tool_choice',
  'cache_control',
  'system',
  'tools',
  'messages',
]);

function readPart(cursor: Cursor, key: string, outline: Writable<Omit<MessagesOutline, 'span'>>): void {
  switch (key) {
    case 'model':
      outline.model = readText(cursor);
      break;
    case 'stream':
      outline.isStreaming = readBoolean(cursor);
      break;
    case 'metadata':
      outline.metadataUserId = readUserId(cursor);
      break;
    case 'tool_choice':
      outline.toolChoice = readToolChoice(cursor);
      break;
    case 'system':
      outline.system = readContent(cursor);
      break;
    case 'messages':
      outline.messages = readList(cursor, readMessage);
      break;
  }
}

function readBoolean(cursor: Cursor): boolean {
  const { start, end } = readSpan(cursor);
  const value = cursor.text.slice(start, end);
  if (value !== 'true' && value !== 'false') throw new RefusedBody('unknown-shape', start);
  return value === 'true';
}

function readUserId(cursor: Cursor): string | undefined {
  let userId: string | undefined;
  readMembers(cursor, userIdKeys, (key) => {
    if (key === 'user_id') userId = readOptionalText(cursor);
    else readSpan(cursor);
  });
  return userId;
}

const userIdKeys: ReadonlySet<string> = new Set(['user_id']);

function readToolChoice(cursor: Cursor): MessagesOutline['toolChoice'] {
  const start = cursor.at;
  let type: string | undefined;
  let name: string | undefined;
  readMembers(cursor, toolChoiceKeys, (key) => {
    if (key === 'type') type = readText(cursor);
    else if (key === 'name') name = readOptionalText(cursor);
    else readSpan(cursor);
  });
  if (type === undefined) throw new RefusedBody('unknown-shape', start);
  return { type, name };
}

const toolChoiceKeys: ReadonlySet<string> = new Set(['type', 'name']);

function readTools(cursor: Cursor, knownTools: KnownTools): Items<ToolEntry> {
  const known = knownTools(cursor.text, cursor.at);
  if (known === undefined) return readList(cursor, readTool);
  cursor.at = known.span.end;
  return known;
}

function readList<Item>(cursor: Cursor, readItem: (cursor: Cursor) => Item): Items<Item> {
  const start = cursor.at;
  const items: Item[] = [];
  readItems(cursor, () => {
    items.push(readItem(cursor));
  });
  return { span: { start, end: cursor.at }, items };
}
