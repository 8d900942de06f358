import { type DeclaredTool, unitOf } from '@quartermaster/deferral';
import type { MessagesOutline, ToolEntry } from '@quartermaster/wire';

/** Whose a tool entry is, as the rule sees it (RU7). */
export function kindOf(tool: ToolEntry): DeclaredTool['kind'] {
  if (tool.isDeferred) return 'deferred';
  return tool.type === undefined || tool.type === 'custom' ? 'client' : 'server';
}

/** A tool that the client runs and sends in full: only such a one is ever deferred or removed. */
export function isOwn(tool: ToolEntry): boolean {
  return kindOf(tool) === 'client';
}

/** The entries that can be judged by name: a provider's toolset may have none. */
export function declaredTools(tools: readonly ToolEntry[]): DeclaredTool[] {
  return tools.flatMap((tool) => (tool.name === undefined ? [] : [{ name: tool.name, kind: kindOf(tool) }]));
}

/** Whether two entries have one name: which of them a decision means can't be told (RW8). */
export function hasDuplicateNames(tools: readonly ToolEntry[]): boolean {
  const names = tools.flatMap(({ name }) => name ?? []);
  return new Set(names).size !== names.length;
}

/** The tools that `tool_reference`s of the transcript name: each must be in `tools` (law 5). */
export function referencedTools({ messages }: MessagesOutline): ReadonlySet<string> {
  const blocks = (messages?.items ?? []).flatMap(({ content }) => content.blocks);
  return new Set(blocks.flatMap(({ references }) => references));
}

/**
 * Which entries of this request a thread's decision defers, by index; those in `leftOut` are not there to be. A forced
 * tool stays loaded for the request (RW6); where nothing of the client's would be left, the unit of the last tool stays
 * (RW4). Tools of a deferred server that the first request did not have yet are deferred like the rest (Q6).
 */
export function deferredIndexes(
  tools: readonly ToolEntry[],
  units: ReadonlySet<string>,
  {
    forced,
    leftOut,
  }: { readonly forced: string | undefined; readonly leftOut: ReadonlyMap<number, ToolEntry> },
): ReadonlySet<number> {
  const own = tools.flatMap((tool, index) => {
    if (!isOwn(tool) || leftOut.has(index)) return [];
    const unit = tool.name === undefined ? undefined : unitOf(tool.name);
    return [{ index, unit, isDeferred: unit !== undefined && tool.name !== forced && units.has(unit) }];
  });
  const lastUnit = own.every(({ isDeferred }) => isDeferred) ? own.at(-1)?.unit : undefined;
  const chosen = own.filter(({ unit, isDeferred }) => isDeferred && unit !== lastUnit);
  return new Set(chosen.map(({ index }) => index));
}
