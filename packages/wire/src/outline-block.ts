import { isAt, readMembers, readOptionalText, readSpan, readText } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { RefusedBody } from './errors.ts';
import { readMark } from './outline-mark.ts';
import { readNestedMember, requireReferenced } from './outline-nested.ts';
import type { Nested } from './outline-nested.ts';
import type { CacheMark, ContentBlock } from './outline.ts';
import { codes } from './scan.ts';

/** The members of a block that say what it is, as far as they have been read. */
interface BlockMembers {
  type?: string;
  name?: string | undefined;
  toolName?: string | undefined;
  id?: string | undefined;
  answeredId?: string | undefined;
  mark?: CacheMark | undefined;
  hasSignature?: boolean;
}

/** One content block of a message or of `system`. */
export function readBlock(cursor: Cursor): ContentBlock {
  const start = cursor.at;
  const members: BlockMembers = {};
  const nested: Nested = { references: [], marks: [], hasImage: false };
  readMembers(cursor, blockKeys, (key, keyAt) => {
    if (key === 'cache_control') members.mark = readMark(cursor, keyAt);
    else if (blockKeys.has(key)) readBlockMember(cursor, key, members);
    else readNestedMember(cursor, key, nested);
  });
  const { type } = members;
  if (type === undefined) throw new RefusedBody('unknown-shape', start);
  if (type === 'tool_reference') {
    nested.references.push(requireReferenced(members.toolName ?? members.name, start));
  }
  return {
    span: { start, end: cursor.at },
    type,
    mark: members.mark,
    name: isCall(type) ? members.name : undefined,
    callId: callIdOf(type, members),
    references: nested.references,
    isSigned: type === 'redacted_thinking' || (type === 'thinking' && members.hasSignature === true),
    nestedMarks: nested.marks,
    holdsImage: type === 'image' || nested.hasImage,
  };
}

const blockKeys: ReadonlySet<string> = new Set([
  'type',
  'name',
  'tool_name',
  'id',
  'tool_use_id',
  'cache_control',
  'signature',
]);

function readBlockMember(cursor: Cursor, key: string, members: BlockMembers): void {
  switch (key) {
    case 'type':
      members.type = readText(cursor);
      break;
    case 'name':
      members.name = readOptionalText(cursor);
      break;
    case 'tool_name':
      members.toolName = readOptionalText(cursor);
      break;
    case 'id':
      members.id = readOptionalText(cursor);
      break;
    case 'tool_use_id':
      members.answeredId = readOptionalText(cursor);
      break;
    case 'signature':
      members.hasSignature = readIsFilled(cursor);
      break;
  }
}

/** Whether a string of one character or more stands here; signatures are long and stay undecoded. */
function readIsFilled(cursor: Cursor): boolean {
  const isString = isAt(cursor, codes.quote);
  const { start, end } = readSpan(cursor);
  return isString && end - start > '""'.length;
}

function isCall(type: string): boolean {
  return type === 'tool_use' || type === 'server_tool_use';
}

function callIdOf(type: string, members: BlockMembers): string | undefined {
  if (isCall(type)) return members.id;
  return type.endsWith('_result') ? members.answeredId : undefined;
}
