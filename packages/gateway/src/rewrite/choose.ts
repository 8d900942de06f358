import type { MessagesOutline, ToolEntry } from '@quartermaster/wire';
import type { Removal } from '../threads/decision.ts';
import { createLeftOutTest } from './removal.ts';
import { deferredIndexes, isOwn, referencedTools } from './tools.ts';

/** Which entries of a request's `tools` are left out and which are deferred, by index. */
export interface ChosenTools {
  readonly removed: ReadonlySet<number>;
  readonly deferred: ReadonlySet<number>;
}

/**
 * What a thread's decision means for one request's tools: a pure function of both. Deferral looks at what removal leaves
 * (RW1), whatever this request asks back: the tool that it forces stays loaded (PR3, RW6), and one that a
 * `tool_reference` of its transcript names is there deferred where the thread defers, which moves no byte of its prefix,
 * else as the client sent it (law 5). One of the client's tools always stays loaded.
 */
export function chooseTools(
  outline: MessagesOutline,
  { units = [], removal }: { readonly units?: readonly string[]; readonly removal?: Removal },
): ChosenTools {
  const tools = outline.tools?.items ?? [];
  const forced = outline.toolChoice?.name;
  const leftOut = removal === undefined ? noneLeftOut : findLeftOut(tools, removal);
  const deferred = new Set(deferredIndexes(tools, new Set(units), { forced, leftOut }));
  if (leftOut.size === 0) return { removed: new Set(), deferred };
  const referenced = referencedTools(outline);
  const removed = new Set<number>();
  for (const [index, { name = '' }] of leftOut) {
    if (name === forced) continue;
    if (!referenced.has(name)) removed.add(index);
    else if (units.length > 0) deferred.add(index);
  }
  const isGone = (tool: ToolEntry, index: number): boolean =>
    !isOwn(tool) || removed.has(index) || deferred.has(index);
  const last = tools.findLastIndex(isOwn);
  if (last !== -1 && tools.every(isGone)) {
    removed.delete(last);
    deferred.delete(last);
  }
  return { removed, deferred };
}

const noneLeftOut: ReadonlyMap<number, ToolEntry> = new Map();

function findLeftOut(tools: readonly ToolEntry[], removal: Removal): ReadonlyMap<number, ToolEntry> {
  const isLeftOut = createLeftOutTest(removal);
  const own = [...tools.entries()].filter(([, tool]) => isOwn(tool));
  return new Map(own.filter(([, { name }]) => name !== undefined && isLeftOut(name)));
}
