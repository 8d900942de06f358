import type { Room } from './driver.ts';
import { createNamer } from './namer.ts';
import type { Namer } from './namer.ts';

/**
 * Keys whose values say when, how long or how much, which some clients count their `max_tokens` by; the signatures that
 * bind a thought to its prefix; headers that speak of one connection; and the provider's word on what RF4 had it drop.
 */
const volatileKey = new RegExp(
  [
    'usage|cost|duration|timestamp|tokens|elapsed|_ms$|Ms$|^time$|^date$|^wall_time|^iterations$',
    'signature|telemetry|^reasoningOpaque$|^run_id$|^keep-alive$|^input_transformations$',
  ].join('|'),
  'i',
);

const searchBlocks = ['server_tool_use', 'tool_search_tool_result'];
const searchTool = 'tool_search_tool_bm25';

export interface ComparableOptions {
  readonly room: Room;
  /** Search blocks are what an echoing client sees more of through the gateway; they are taken out. */
  readonly withoutSearch: boolean;
}

/** What a client printed in its turns, line by line, without ids, times, usage and the places of this run. */
export function comparableOutput(turns: readonly string[], options: ComparableOptions): readonly unknown[] {
  const lines = turns.map((stdout) =>
    stdout
      .split('\n')
      .map((line) => strip(parseLine(line), options.withoutSearch))
      .filter((line) => !isEmptyMessage(line)),
  );
  // One namer for all turns, so that an id which comes back has the same name again.
  return nameAll(lines, createNamer(options.room)) as readonly unknown[];
}

/** Requests as a client sent them, made comparable in the same way. */
export function comparableRequests(
  bodies: readonly string[],
  { room, withoutSearch }: ComparableOptions,
): readonly unknown[] {
  const requests = bodies.map((body) => {
    const json: unknown = JSON.parse(Buffer.from(body, 'latin1').toString('utf8'));
    return strip(json, withoutSearch);
  });
  return nameAll(requests, createNamer(room)) as readonly unknown[];
}

function parseLine(line: string): unknown {
  if (!line.startsWith('{')) return line;
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function strip(value: unknown, withoutSearch: boolean): unknown {
  // Claude Code lists the tools that were used before a summary by name.
  if (typeof value === 'string') return withoutSearch ? value.replaceAll(`, ${searchTool}`, '') : value;
  if (Array.isArray(value)) {
    const kept = withoutSearch ? value.filter((item) => !isSearchBlock(item)) : value;
    return kept.map((item) => strip(item, withoutSearch));
  }
  if (!isObject(value)) return value;
  const steady = Object.entries(value).filter(([key]) => !volatileKey.test(key));
  return Object.fromEntries(steady.map(([key, item]) => [key, strip(item, withoutSearch)]));
}

function nameAll(value: unknown, namer: Namer): unknown {
  if (typeof value === 'string') return namer(value);
  if (typeof value === 'number') return isTime(value) ? '<time>' : value;
  if (Array.isArray(value)) return value.map((item) => nameAll(item, namer));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [namer(key), nameAll(item, namer)]));
}

/** Epoch ms of this decade and the next. */
function isTime(value: number): boolean {
  return value > 1.7e12 && value < 2.3e12;
}

function isSearchBlock(value: unknown): boolean {
  return isObject(value) && searchBlocks.includes(String(value['type']));
}

/** A line of a transcript that told of search blocks only. */
function isEmptyMessage(line: unknown): boolean {
  const message = isObject(line) ? line['message'] : undefined;
  return isObject(message) && Array.isArray(message['content']) && message['content'].length === 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
