import type { MessagesOutline } from '@quartermaster/wire';
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
  { units, removal }: { readonly units?: readonly string[]; readonly removal?: Removal },
): ChosenTools {
  const tools = outline.tools?.items ?? [];
  const forced = outline.toolChoice?.name;
  if (removal === undefined) {
    return { removed: none, deferred: deferredIndexes(tools, new Set(units), { forced, leftOut: none }) };
  }
  const isLeftOut = createLeftOutTest(removal);
  const own = [...tools.entries()].filter(([, tool]) => isOwn(tool));
  const leftOut = own.filter(([, { name }]) => name !== undefined && isLeftOut(name));
  const leftOutIndexes = new Set(leftOut.map(([index]) => index));
  const referenced = referencedTools(outline);
  const removed = new Set<number>();
  const deferred = new Set(deferredIndexes(tools, new Set(units), { forced, leftOut: leftOutIndexes }));
  for (const [index, { name = '' }] of leftOut) {
    if (name === forced) continue;
    if (!referenced.has(name)) removed.add(index);
    else if (deferred.size > 0) deferred.add(index);
  }
  const last = own.at(-1)?.[0];
  if (last !== undefined && own.every(([index]) => removed.has(index) || deferred.has(index))) {
    removed.delete(last);
    deferred.delete(last);
  }
  return { removed, deferred };
}

const none: ReadonlySet<number> = new Set();
