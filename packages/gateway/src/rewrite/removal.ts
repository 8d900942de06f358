import { unitOf } from '@quartermaster/deferral';
import type { ToolEntry } from '@quartermaster/wire';
import type { KeptReason, Removal } from '../threads/decision.ts';
import { isOwn } from './tools.ts';

/** What the removal of a new thread is decided by. */
export interface RemovalInput {
  readonly tools: readonly ToolEntry[];
  /** What the account listed: a tool's name, or `mcp__server`. */
  readonly listed: readonly string[];
  /** Of the thread's first request. */
  readonly systemPrompt: string;
  /** The tool that `tool_choice` forces. */
  readonly forced: string | undefined;
  /** Tools that the transcript so far called or loaded. */
  readonly usedInThread: ReadonlySet<string>;
  /** o200k tokens of a tool's declaration. */
  readonly weigh: (name: string) => number;
}

/** Decides what a thread leaves out, and which listed tools stay in it for its life (PR3, PR4). */
export function decideRemoval(input: RemovalInput): Removal {
  const { tools, listed, systemPrompt, forced, usedInThread, weigh } = input;
  const units = [...new Set(listed)].toSorted();
  const declared = tools.filter(isOwn).flatMap(({ name }) => name ?? []);
  const kept = new Map<string, KeptReason>();
  const reasonToKeep = (name: string): KeptReason | undefined => {
    if (name === forced) return 'forced';
    if (usedInThread.has(name)) return 'used-in-thread';
    return standsAsWord(name, systemPrompt) ? 'named-in-system-prompt' : undefined;
  };
  const late = units.flatMap((unit) => [unit, ...toolsNamedIn(systemPrompt, unit)]);
  for (const name of [...declared, ...usedInThread, ...late]) {
    const reason = isListed(name, new Set(units)) ? reasonToKeep(name) : undefined;
    if (reason !== undefined) kept.set(name, reason);
  }
  const last = declared.at(-1);
  const isRemoved = (name: string): boolean => isListed(name, new Set(units)) && !kept.has(name);
  if (last !== undefined && declared.every(isRemoved)) kept.set(last, 'last-tool');
  const removed = declared.filter(isRemoved).toSorted();
  return {
    units,
    kept: Object.fromEntries(kept),
    tools: removed,
    tokensO200k: removed.reduce((sum, name) => sum + weigh(name), 0),
  };
}

/**
 * Which entries of this request are left out, by index: a pure function of the thread's decision and the request. A
 * tool of a removed server that comes late is left out from its first sight, as Q6 has it for deferral. The tool that
 * is forced now stays for this request, as does one that a search result names (law 5); one of the client's always does.
 */
export function removedIndexes(
  tools: readonly ToolEntry[],
  removal: Removal | undefined,
  { forced, referenced }: { readonly forced: string | undefined; readonly referenced: ReadonlySet<string> },
): ReadonlySet<number> {
  if (removal === undefined) return none;
  const units = new Set(removal.units);
  const own = [...tools.entries()].filter(([, tool]) => isOwn(tool));
  const isRemoved = ({ name }: ToolEntry): boolean =>
    name !== undefined && name !== forced && !referenced.has(name) && isLeftOut(name, units, removal);
  const removed = own.filter(([, tool]) => isRemoved(tool)).map(([index]) => index);
  return new Set(removed.length === own.length ? removed.slice(0, -1) : removed);
}

const none: ReadonlySet<number> = new Set();

/** Whether a tool is among those that the thread leaves out, whatever this request asks for. */
export function isLeftOut(
  name: string,
  units: ReadonlySet<string>,
  { kept }: Pick<Removal, 'kept'>,
): boolean {
  return isListed(name, units) && !Object.hasOwn(kept, name);
}

function isListed(name: string, units: ReadonlySet<string>): boolean {
  return units.has(name) || units.has(unitOf(name));
}

/** The exact name, with no letter, digit or underscore beside it. */
function standsAsWord(name: string, text: string): boolean {
  if (name === '' || !text.includes(name)) return false;
  return new RegExp(`(?<!${wordCharacter})${escapeRegExp(name)}(?!${wordCharacter})`, 'u').test(text);
}

/**
 * The tools of a server that a text names, whether they are declared or not: a server's tools may come after the
 * thread's first request, and its record must not hold the text. A hyphen may end a name or be part of it.
 */
function toolsNamedIn(text: string, server: string): string[] {
  const start = `${server}__`;
  if (!text.includes(start)) return [];
  const named = new RegExp(`(?<!${wordCharacter})${escapeRegExp(start)}[\\p{L}\\p{N}_-]+`, 'gu');
  return [...text.matchAll(named)].flatMap(([longest]) => {
    const hyphens = [...longest.matchAll(/-/g)].map(({ index }) => index);
    return [...hyphens.map((at) => longest.slice(0, at)), longest];
  });
}

const wordCharacter = '[\\p{L}\\p{N}_]';

function escapeRegExp(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}/]/g, '\\$&');
}
