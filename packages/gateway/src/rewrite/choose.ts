import { unitOf } from '@quartermaster/deferral';
import type { MessagesOutline } from '@quartermaster/wire';
import type { Removal } from '../threads/decision.ts';
import { isLeftOut, removedIndexes } from './removal.ts';
import { deferredIndexes, referencedTools } from './tools.ts';

/** Which entries of a request's `tools` are left out and which are deferred, by index. */
export interface ChosenTools {
  readonly removed: ReadonlySet<number>;
  readonly deferred: ReadonlySet<number>;
}

/**
 * What a thread's decision means for one request's tools. Deferral looks at what removal leaves (RW1). A tool that is
 * left out, but named by a `tool_reference` of the transcript, is there deferred where the thread defers, which moves no
 * byte of its prefix; else as the client sent it (law 5).
 */
export function chooseTools(
  outline: MessagesOutline,
  decided: { readonly units?: readonly string[]; readonly removal?: Removal },
): ChosenTools {
  const tools = outline.tools?.items ?? [];
  const { removal } = decided;
  const forced = outline.toolChoice?.name;
  const referenced = removal === undefined ? none : referencedTools(outline);
  const removed = removedIndexes(tools, removal, { forced, referenced });
  if (decided.units === undefined) return { removed, deferred: new Set() };
  const units = new Set(decided.units);
  const listed = new Set(removal?.units);
  const isInDecision = (name: string): boolean =>
    units.has(unitOf(name)) || (removal !== undefined && isLeftOut(name, listed, removal));
  return { removed, deferred: deferredIndexes(tools, isInDecision, { forced, removed }) };
}

const none: ReadonlySet<string> = new Set();
