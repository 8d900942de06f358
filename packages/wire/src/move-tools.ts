import type { Items, Member, ToolEntry } from './outline.ts';
import type { Span } from './span.ts';

/** The outline of the same `tools` where they begin `by` characters later (earlier: negative). */
export function moveTools({ span, items }: Items<ToolEntry>, by: number): Items<ToolEntry> {
  if (by === 0) return { span, items };
  return { span: moveSpan(span, by), items: items.map((tool) => moveTool(tool, by)) };
}

/** Each member is named, which is several times as quick as a copy of those that stay. */
function moveTool({ span, name, type, isDeferred, deferLoading, mark }: ToolEntry, by: number): ToolEntry {
  return {
    span: moveSpan(span, by),
    name,
    type,
    isDeferred,
    deferLoading: deferLoading && moveMember(deferLoading, by),
    mark: mark && { ...moveMember(mark, by), ttl: mark.ttl },
  };
}

function moveMember({ span, value }: Member, by: number): Member {
  return { span: moveSpan(span, by), value: moveSpan(value, by) };
}

function moveSpan({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}
