import type { Items, Member, ToolEntry } from './outline.ts';
import type { Span } from './span.ts';

/** The outline of the same `tools` where they begin `by` characters later (earlier: negative). */
export function moveTools({ span, items }: Items<ToolEntry>, by: number): Items<ToolEntry> {
  if (by === 0) return { span, items };
  return { span: moveSpan(span, by), items: items.map((tool) => moveTool(tool, by)) };
}

function moveTool({ span, deferLoading, mark, ...said }: ToolEntry, by: number): ToolEntry {
  return {
    ...said,
    span: moveSpan(span, by),
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
