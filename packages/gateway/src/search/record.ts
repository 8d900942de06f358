import {
  applyEdits,
  type MessagesOutline,
  findMember,
  insertMember,
  removeMember,
  replaceValue,
  type ToolEntry,
} from '@quartermaster/wire';
import { type JsonObject, objectOf } from '../json.ts';
import { textOf } from '../latin1.ts';
import type { AnswerBlock } from '../relay/content.ts';
import { isSearchBlock, isSearchResult } from '../relay/block-kinds.ts';
import { callAnchor, searchAnchor, wholeAnchor } from './anchors.ts';
import { nameBlock } from './block-name.ts';
import type { SearchBlock, SearchGap, SearchTurn } from './turn.ts';

/** What is known of a request when its answer is recorded. */
export interface Asked {
  /** As the client sent it. */
  readonly text: string;
  readonly outline: MessagesOutline;
  /** Anchors its answer where no call does. */
  readonly chain: string;
}

/** The turns of one answer by anchor; `undefined` for an anchor that a later transcript shows, and there is nothing to it. */
export type AnswerTurns = ReadonlyMap<string, SearchTurn | undefined>;

/** What an answer's searches leave to be remembered, where the client was not shown them (Q2). */
export function hiddenTurns(blocks: readonly AnswerBlock[], asked: Asked): AnswerTurns {
  const read = blocks.map(readWhole);
  const gaps = gapsOf(read, completeSearches(read));
  const calls = read.flatMap(({ json }) => (json['type'] === 'tool_use' ? String(json['id']) : []));
  const shown = read.flatMap(({ json, search }) => (search === undefined ? [nameBlock(json)] : []));
  const whole = [wholeAnchor(asked.chain, shown), asked.chain];
  const anchors = calls.length > 0 ? calls.map(callAnchor) : whole;
  const turns = new Map<string, SearchTurn | undefined>(anchors.map((anchor) => [anchor, undefined]));
  if (gaps.length === 0) return turns;
  const found = gaps.flatMap((gap) => gap.blocks.flatMap(({ references }) => references));
  const turn = { shown, gaps, definitions: definitionsOf(found, asked) };
  const call = anchorFor(turn, calls);
  for (const anchor of call === undefined ? whole : [call]) turns.set(anchor, turn);
  return turns;
}

/** The same where the client was shown them: only what their references name is to be remembered (Q3). */
export function shownTurns(blocks: readonly AnswerBlock[], asked: Asked): AnswerTurns {
  const read = blocks.filter(isSearchBlock).map(readWhole);
  const complete = completeSearches(read);
  const turns = new Map<string, SearchTurn | undefined>();
  for (const { search } of read) {
    if (search === undefined || search.references.length === 0 || !complete.has(search.callId)) continue;
    turns.set(searchAnchor(search.callId), {
      shown: [],
      gaps: [],
      definitions: definitionsOf(search.references, asked),
    });
  }
  return turns;
}

interface ReadBlock {
  readonly json: JsonObject;
  readonly search: SearchBlock | undefined;
}

function readWhole(block: AnswerBlock): ReadBlock {
  const json = objectOf(JSON.parse(textOf(block.json)));
  if (!block.isWhole || !isSearchBlock(block)) return { json, search: undefined };
  const callId = String(isSearchResult(block.type) ? json['tool_use_id'] : json['id']);
  return { json, search: { json: block.json, type: block.type, callId, references: referencesIn(json) } };
}

function referencesIn({ content }: JsonObject): readonly string[] {
  const { tool_references: references } = objectOf(content);
  if (!Array.isArray(references)) return [];
  return references.map((reference) => String(objectOf(reference)['tool_name']));
}

/** Ids of the searches whose result has come. An answer that broke off may lack one, and half a search is refused. */
function completeSearches(read: readonly ReadBlock[]): ReadonlySet<string> {
  const searches = read.flatMap(({ search }) => search ?? []);
  const called = new Set(searches.filter(({ type }) => !isSearchResult(type)).map(({ callId }) => callId));
  const answered = searches.filter(({ type, callId }) => isSearchResult(type) && called.has(callId));
  return new Set(answered.map(({ callId }) => callId));
}

function gapsOf(read: readonly ReadBlock[], complete: ReadonlySet<string>): readonly SearchGap[] {
  const gaps: SearchGap[] = [];
  const shown = read.filter(({ search }) => search === undefined).map(({ json }) => json);
  let hidden: SearchBlock[] = [];
  let at = 0;
  const close = (): void => {
    const inText = textAround(shown, at);
    if (hidden.length > 0) gaps.push({ at, ...(inText !== undefined && { inText }), blocks: hidden });
    hidden = [];
    at += 1;
  };
  for (const { search } of read) {
    if (search === undefined) close();
    else if (complete.has(search.callId)) hidden.push(search);
  }
  close();
  return gaps;
}

/** The texts around a gap as one: some clients keep no two that follow each other. */
function textAround(shown: readonly JsonObject[], at: number): SearchGap['inText'] {
  const start = shown.slice(0, at).findLastIndex((json) => !isText(json)) + 1;
  const end = shown.findIndex((json, index) => index >= at && !isText(json));
  const texts = shown.slice(start, end === -1 ? undefined : end).map(({ text }) => String(text));
  if (texts.length < 2) return undefined;
  const text = texts.join('');
  const before = texts.slice(0, at - start).join('').length;
  return { name: nameBlock({ type: 'text', text }), length: text.length, before };
}

function isText({ type }: JsonObject): boolean {
  return type === 'text';
}

/** The call that followed the searches, or else any that the answer made. */
function anchorFor(
  { shown, gaps }: Pick<SearchTurn, 'shown' | 'gaps'>,
  calls: readonly string[],
): string | undefined {
  const following = new Set(gaps.map(({ at }) => shown[at]));
  const call = calls.find((id) => following.has(`tool_use ${id}`)) ?? calls[0];
  return call === undefined ? undefined : callAnchor(call);
}

/** The client's declarations of these tools as they stand in `tools` once only a reference needs them. */
function definitionsOf(names: readonly string[], { text, outline }: Asked): Readonly<Record<string, string>> {
  const tools = outline.tools?.items ?? [];
  const wanted = new Set(names);
  const declared = tools.filter(({ name }) => name !== undefined && wanted.has(name));
  return Object.fromEntries(declared.map((tool) => [tool.name, deferred(text, tool)]));
}

function deferred(text: string, { span, mark }: ToolEntry): string {
  const json = text.slice(span.start, span.end);
  const start = span.start;
  const edits = mark === undefined ? [] : [removeMember(json, moved(mark.span, start))];
  const unmarked = applyEdits(json, edits);
  const whole = { start: 0, end: unmarked.length };
  const flag = findMember(whole, unmarked, 'defer_loading');
  const edit =
    flag === undefined ? insertMember(whole, unmarked, '"defer_loading":true') : replaceValue(flag, 'true');
  return applyEdits(unmarked, [edit]);
}

function moved({ start, end }: ToolEntry['span'], by: number): ToolEntry['span'] {
  return { start: start - by, end: end - by };
}
