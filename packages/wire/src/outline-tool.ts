import { readMembers, readOptionalText, readSpan } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { readMark } from './outline-mark.ts';
import type { CacheMark, Member, ToolEntry } from './outline.ts';

/** One entry of `tools`. */
export function readTool(cursor: Cursor): ToolEntry {
  const start = cursor.at;
  let name: string | undefined;
  let type: string | undefined;
  let deferLoading: Member | undefined;
  let mark: CacheMark | undefined;
  readMembers(cursor, toolKeys, (key, keyAt) => {
    if (key === 'name') name = readOptionalText(cursor);
    else if (key === 'type') type = readOptionalText(cursor);
    else if (key === 'cache_control') mark = readMark(cursor, keyAt);
    else {
      const value = readSpan(cursor);
      if (key === 'defer_loading') deferLoading = { span: { start: keyAt, end: value.end }, value };
    }
  });
  const isDeferred = deferLoading !== undefined && cursor.text.startsWith('true', deferLoading.value.start);
  return { span: { start, end: cursor.at }, name, type, isDeferred, deferLoading, mark };
}

const toolKeys: ReadonlySet<string> = new Set(['name', 'type', 'defer_loading', 'cache_control']);
