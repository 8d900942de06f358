import type { Body, BodyBlock, BodyTool } from '../support/anthropic-body.ts';
import { blocksOf } from './coding-client.ts';

/** What the gateway put into a request, read off its text and the client's by code that shares nothing with it. */
export interface Additions {
  /** The tools that it deferred. */
  readonly deferred: readonly string[];
  readonly hasSearchTool: boolean;
  /** Where its names list stands: how many texts there are, and whether in a message that holds nothing else. */
  readonly namesLists: number;
  readonly isInOwnMessage: boolean;
  /** Tools that it declared again since the transcript names them (Q3); they are among `deferred`. */
  readonly defined: readonly string[];
}

const namesOpening = 'More tools are available than the loaded ones';
const namesBlock = new RegExp(`\\{"type":"text","text":"${namesOpening}(?:[^"\\\\]|\\\\.)*"\\}`);
const searchEntry =
  /,\{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"(?:,"cache_control":\{[^}]*\})?\}/;
const flag = /,"defer_loading":true(?=\s*\})/g;
const toolMark = /,\s*"cache_control":\s*\{[^}]*\}/g;

export function additionsOf(upstream: string, sent: string): Additions {
  const [after, before] = [JSON.parse(upstream) as Body, JSON.parse(sent) as Body];
  const declared = new Set(before.tools?.map(({ name }) => name));
  const wasDeferred = new Set(before.tools?.filter(isDeferred).map(({ name }) => name));
  const deferred = (after.tools ?? []).filter((tool) => isDeferred(tool) && !wasDeferred.has(tool.name));
  const inMessages = after.messages.filter((message) => blocksOf(message).some(isNamesList));
  const inSystem = systemOf(after).filter(isNamesList).length;
  return {
    deferred: deferred.map(({ name }) => name),
    hasSearchTool: searchEntry.test(upstream),
    namesLists: inSystem + inMessages.length,
    isInOwnMessage: inMessages.some((message) => blocksOf(message).length === 1),
    defined: deferred.map(({ name }) => name).filter((name) => !declared.has(name)),
  };
}

/** Whether a request tells the names of tools that it defers. */
export function hasNamesList(text: string): boolean {
  return namesBlock.test(text);
}

/**
 * Whether taking the gateway's additions out of `upstream` gives the bytes that the client sent (law 2). Marks of tools
 * may have moved among the tools: they are compared apart, by number and life.
 */
export function isSentUndone(upstream: string, sent: string): boolean {
  if (marksOfTools(upstream) !== marksOfTools(sent)) return false;
  // A mark that moves leaves the white space around it where it was.
  const undone = undoSearches(upstream, sent);
  const plain = (text: string): string => {
    // A text that searches stood beside was spelled out, where it was a string.
    const short = undone === upstream ? text : text.replaceAll(onlyText, '$1');
    return marksOfTools(sent) === '' ? short : short.replaceAll(/\s+/g, '');
  };
  return undoNames(undoTools(undoDefinitions(undone, sent)))
    .map(plain)
    .includes(plain(undoTools(sent)));
}

const searchBlock = /\{"type":"(?:server_tool_use|tool_search_tool_result)",/g;
const onlyText = /\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]/g;

/** Without the searches that the client did not send (Q2). */
function undoSearches(text: string, sent: string): string {
  const ids = [...text.matchAll(/"srvtoolu_\w+"/g)].map(([id]) => id).filter((id) => !sent.includes(id));
  const blocks = ids.length === 0 ? [] : [...text.matchAll(searchBlock)].toReversed();
  return blocks.reduce((undone, { index }) => {
    const end = endOfObject(text, index);
    return ids.some((id) => text.slice(index, end).includes(id)) ? withoutItem(undone, index, end) : undone;
  }, text);
}

/** Without the declarations that the client did not send (Q3), which are in its own spelling, the name first. */
function undoDefinitions(text: string, sent: string): string {
  return additionsOf(text, sent).defined.reduce((undone, name) => {
    const start = new RegExp(`\\{\\s*"name":\\s*"${name}"`).exec(undone)?.index;
    return start === undefined ? undone : withoutItem(undone, start, endOfObject(undone, start));
  }, text);
}

function withoutItem(text: string, start: number, end: number): string {
  if (text[start - 1] === ',') return text.slice(0, start - 1) + text.slice(end);
  return text.slice(0, start) + text.slice(text[end] === ',' ? end + 1 : end);
}

/** The place behind the object that starts at `start`; texts of searches and declarations hold no braces. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** The text without the search entry, flags and marks in its `tools`. */
function undoTools(text: string): string {
  const start = /"tools":\s*\[/.exec(text)?.index ?? text.length;
  const end = text.indexOf('"metadata":', start);
  const tools = text.slice(start, end === -1 ? undefined : end);
  const undone = tools.replace(searchEntry, '').replaceAll(flag, '').replaceAll(toolMark, '');
  return text.slice(0, start) + undone + (end === -1 ? '' : text.slice(end));
}

/** The texts that a client may have sent where this one has a names list: which of them it was, its own text says. */
function undoNames(text: string): readonly string[] {
  const match = namesBlock.exec(text);
  if (match === null) return [text];
  const [before, after] = [text.slice(0, match.index), text.slice(match.index + match[0].length)];
  const withoutMessage =
    before.endsWith(',{"role":"system","content":[') && after.startsWith(']}')
      ? [before.slice(0, -',{"role":"system","content":['.length) + after.slice(2)]
      : [];
  const withoutItem = before.replace(/,$/, '') + after;
  return [...withoutMessage, withoutItem, ...asString(before, after)];
}

/** The block before the list was a string of the client's, spelled out so that the list could follow it. */
function asString(before: string, after: string): readonly string[] {
  const opening = '[{"type":"text","text":';
  const start = before.lastIndexOf(opening);
  if (start === -1 || !before.endsWith('"},') || !after.startsWith(']')) return [];
  return [before.slice(0, start) + before.slice(start + opening.length, -2) + after.slice(1)];
}

function marksOfTools(text: string): string {
  const { tools = [] } = JSON.parse(text) as Partial<Body>;
  return tools.flatMap(({ cache_control: mark }) => mark?.ttl ?? (mark === undefined ? [] : '5m')).join();
}

/** Law 6, as far as one request shows it: what is wrong with it. */
export function illegalitiesOf(upstream: string): readonly string[] {
  const body = JSON.parse(upstream) as Body;
  const tools = body.tools ?? [];
  const lives = [...tools, ...systemOf(body), ...body.messages.flatMap(blocksOf)].flatMap(
    ({ cache_control: mark }) => (mark === undefined ? [] : [mark.ttl ?? '5m']),
  );
  const names = tools.map(({ name }) => name);
  return [
    ...tools
      .filter((tool) => isDeferred(tool) && tool.cache_control !== undefined)
      .map(({ name }) => `${name} is deferred and marked`),
    ...(tools.length > 0 && tools.every(isDeferred) ? ['no tool is loaded'] : []),
    ...(lives.length > 4 ? [`${lives.length} marks`] : []),
    ...(lives.lastIndexOf('1h') > lives.indexOf('5m') && lives.includes('5m')
      ? ['a 1 h mark after a 5 m one']
      : []),
    ...(new Set(names).size < names.length ? ['two tools of one name'] : []),
  ];
}

/** Law 5: references in the messages to tools that `tools` does not define. */
export function danglingReferences(text: string): readonly string[] {
  const body = JSON.parse(text) as Body;
  const names = new Set((body.tools ?? []).map(({ name }) => name));
  return referencesIn(body.messages).filter((name) => !names.has(name));
}

/** Q2: calls to deferred tools that nothing before them in the transcript loads: no model could have made them. */
export function unloadedCalls(text: string): readonly string[] {
  const { messages, tools } = JSON.parse(text) as Body;
  const deferred = new Set(tools.filter(isDeferred).map(({ name }) => name));
  const loaded = new Set<string>();
  return messages.flatMap(blocksOf).flatMap((block) => {
    for (const name of referencesIn([{ role: 'assistant', content: [block] }])) loaded.add(name);
    const name = block.type === 'tool_use' ? String(block['name']) : undefined;
    return name !== undefined && deferred.has(name) && !loaded.has(name) ? [name] : [];
  });
}

/** The tools that any search in the messages loaded. */
export function referencesIn(messages: Body['messages']): readonly string[] {
  return [...JSON.stringify(messages).matchAll(/"type":"tool_reference","tool_name":"([^"]+)"/g)].map(
    ([, name]) => name ?? '',
  );
}

function isNamesList({ text }: BodyBlock): boolean {
  return text?.startsWith(namesOpening) ?? false;
}

function isDeferred({ defer_loading: isFlagged }: BodyTool): boolean {
  return isFlagged === true;
}

function systemOf({ system = [] }: Body): readonly BodyBlock[] {
  return typeof system === 'string' ? [{ type: 'text', text: system }] : system;
}
