import type { Room } from './driver.ts';

/** Keys whose values say when, how long or how much, and the signatures that bind a thought to its prefix. */
const volatileKey = /usage|cost|duration|timestamp|^time$|tokens|signature|_ms$|Ms$|elapsed/i;

const searchBlocks = ['server_tool_use', 'tool_search_tool_result'];

export interface ComparableOptions {
  readonly room: Room;
  /** Search blocks are what an echoing client sees more of through the gateway; they are taken out. */
  readonly withoutSearch: boolean;
}

/** What a client printed, without ids, times, usage and the places of this run: JSON line by line, else as text. */
export function comparableOutput(stdout: string, options: ComparableOptions): string {
  const lines = stdout.split('\n').map((line) => {
    const json = parseObject(line);
    if (json === undefined) return line;
    const stripped = strip(json, options.withoutSearch);
    return isEmptyMessage(stripped) ? undefined : JSON.stringify(stripped);
  });
  return nameAlike(lines.filter((line) => line !== undefined).join('\n'), options.room);
}

/** Requests as a client sent them, made comparable in the same way. */
export function comparableRequests(
  bodies: readonly string[],
  options: ComparableOptions,
): readonly unknown[] {
  const texts = bodies.map((body) => {
    const json: unknown = JSON.parse(Buffer.from(body, 'latin1').toString('utf8'));
    return JSON.stringify(strip(json, options.withoutSearch));
  });
  // One text for all, so that an id which comes back has the same name again.
  return nameAlike(texts.join('\n'), options.room)
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

function strip(value: unknown, withoutSearch: boolean): unknown {
  if (Array.isArray(value)) {
    const kept = withoutSearch ? value.filter((item) => !isSearchBlock(item)) : value;
    return kept.map((item) => strip(item, withoutSearch));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !volatileKey.test(key) || key === 'max_tokens');
  return Object.fromEntries(entries.map(([key, item]) => [key, strip(item, withoutSearch)]));
}

function isSearchBlock(value: unknown): boolean {
  return isObject(value) && searchBlocks.includes(String(value['type']));
}

/** A line of a transcript that told of search blocks only. */
function isEmptyMessage(value: unknown): boolean {
  const message = isObject(value) ? value['message'] : undefined;
  return isObject(message) && Array.isArray(message['content']) && message['content'].length === 0;
}

/** Ids get numbers in the order in which they first stand; times, durations and places get one name each. */
function nameAlike(text: string, { home, workFolder, baseUrl }: Room): string {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const known = names.get(id) ?? `<id ${names.size + 1}>`;
    names.set(id, known);
    return known;
  };
  return text
    .replaceAll(workFolder, '<work>')
    .replaceAll(home, '<home>')
    .replaceAll(/qm-matrix-\w{6}/g, '<folder>')
    .replaceAll(baseUrl, '<provider>')
    .replaceAll(new URL(baseUrl).host, '<provider>')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, nameOf)
    .replaceAll(/\b(?:toolu|srvtoolu|msg|req|ses|prt|call|tool|agent)_[A-Za-z0-9]{12,}\b/g, nameOf)
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '<time>')
    .replaceAll(/\b1[78]\d{11}(?:\.\d+)?\b/g, '<time>')
    .replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, '<duration>');
}

function parseObject(line: string): object | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const json: unknown = JSON.parse(line);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
