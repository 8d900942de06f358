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
  const { tools, listed, systemPrompt, usedInThread, weigh } = input;
  const units = [...new Set(listed)].toSorted();
  const isListed = createListedTest(units);
  const declared = tools.filter(isOwn).flatMap(({ name }) => name ?? []);
  // A listed tool that is not declared yet may come later, and the system prompt of then is not to be asked.
  const late = units.flatMap((unit) => [unit, ...toolsNamedIn(systemPrompt, unit)]);
  const kept = new Map<string, KeptReason>();
  for (const name of [...declared, ...usedInThread, ...late].filter(isListed)) {
    const reason = reasonToKeep(name, input);
    if (reason !== undefined) kept.set(name, reason);
  }
  const isRemoved = (name: string): boolean => isListed(name) && !kept.has(name);
  const last = declared.at(-1);
  if (last !== undefined && declared.every(isRemoved)) kept.set(last, 'last-tool');
  const removed = declared.filter(isRemoved).toSorted();
  return {
    units,
    kept: Object.fromEntries(kept),
    tools: removed,
    tokensO200k: removed.reduce((sum, name) => sum + weigh(name), 0),
  };
}

function reasonToKeep(
  name: string,
  { forced, usedInThread, systemPrompt }: RemovalInput,
): KeptReason | undefined {
  if (name === forced) return 'forced';
  if (usedInThread.has(name)) return 'used-in-thread';
  return standsAsWord(name, systemPrompt) ? 'named-in-system-prompt' : undefined;
}

/**
 * Tells of a tool whether the thread leaves it out. One of a removed server that comes late is left out from its first
 * sight, as Q6 has it for deferral: its server's other tools are gone, and the prefix moves by none of our doing.
 */
export function createLeftOutTest({ units, kept }: Removal): (name: string) => boolean {
  const isListed = createListedTest(units);
  return (name) => isListed(name) && !Object.hasOwn(kept, name);
}

function createListedTest(units: readonly string[]): (name: string) => boolean {
  const listed = new Set(units);
  return (name) => listed.has(name) || listed.has(unitOf(name));
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
