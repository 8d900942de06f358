import {
  isSearchTool,
  type MarkMove,
  type NamesPosition,
  namesPosition,
  placeMarks,
} from '@quartermaster/deferral';
import {
  appendItem,
  asciiJson,
  type CacheMark,
  type Content,
  type Edit,
  insertItemAfter,
  insertMember,
  type Message,
  type MessagesOutline,
  removeItems,
  removeMember,
  replaceValue,
  setMember,
  type Span,
  type ToolEntry,
} from '@quartermaster/wire';
import type { Decision, EditDecision } from '../threads/decision.ts';
import { chooseTools } from './choose.ts';

/** The edits that carry out a thread's decision on one request, or why the request goes as it came. */
export type Rewrite =
  | {
      readonly type: 'edits';
      readonly edits: readonly Edit[];
      /** Whether every mark of the client's found a place (RW5). Where not, those of deferred and removed tools are gone. */
      readonly keepsMarks: boolean;
    }
  | { readonly type: 'unchanged'; readonly reason: UnchangedReason };

export type UnchangedReason = 'no-deferred-tool' | 'no-removed-tool' | 'no-place-for-names';

type DeferDecision = Extract<Decision, { type: 'defer' }>;

/**
 * Turns a decision into edits of the client's bytes: a pure function of both, so that it is the same in every request
 * of the thread (RW3) and nothing else moves (RW7).
 */
export function rewriteMessages(text: string, outline: MessagesOutline, decision: EditDecision): Rewrite {
  const tools = outline.tools?.items ?? [];
  const { removed, deferred } = chooseTools(outline, decision);
  if (removed.size + deferred.size === 0) {
    return {
      type: 'unchanged',
      reason: decision.type === 'defer' ? 'no-deferred-tool' : 'no-removed-tool',
    };
  }
  const search = searchOf(tools, deferred, decision);
  const placed = placeMarks(
    tools.map((tool, index) => ({
      isLoaded: !removed.has(index) && !deferred.has(index) && !tool.isDeferred,
      isMarked: tool.mark !== undefined,
    })),
    { hasSearchEntry: search !== undefined },
  );
  const names = deferred.size > 0 && decision.type === 'defer' ? placeNames(text, outline, decision) : [];
  if (names === undefined) return { type: 'unchanged', reason: 'no-place-for-names' };
  // In mid-thread a lost mark costs a cache entry at worst; going back to the original would move the prefix.
  const moves = placed.type === 'placed' ? placed.moves : [];
  const edits = [
    ...names,
    ...removeItems(text, spansOf(tools, removed)),
    ...deferEdits(text, tools, deferred),
    ...(placed.type === 'placed'
      ? markEdits(text, tools, moves, removed)
      : unmarkEdits(text, tools, deferred)),
  ];
  if (search !== undefined && outline.tools !== undefined) {
    edits.push(appendItem(outline.tools.span, text, searchEntry(text, tools, moves, search)));
  }
  return { type: 'edits', edits, keepsMarks: placed.type === 'placed' };
}

/** The search entry to add: none where nothing is deferred, or where the client has one of its own (RW1). */
function searchOf(
  tools: readonly ToolEntry[],
  deferred: ReadonlySet<number>,
  decision: EditDecision,
): string | undefined {
  if (decision.type !== 'defer' || deferred.size === 0) return undefined;
  return tools.some(({ type }) => isSearchTool(type)) ? undefined : decision.searchTool;
}

function placeNames(
  text: string,
  outline: MessagesOutline,
  { namesPlace, namesList }: DeferDecision,
): readonly Edit[] | undefined {
  const position = namesPosition(namesPlace, (outline.messages?.items ?? []).map(toPlacedMessage));
  return position.type === 'none' ? undefined : namesEdits(text, outline, position, namesList);
}

function spansOf(tools: readonly ToolEntry[], indexes: ReadonlySet<number>): readonly Span[] {
  return tools.filter((_, index) => indexes.has(index)).map(({ span }) => span);
}

/** A message as the placement of the names list sees it. */
export function toPlacedMessage({ role, isTurnScoped }: Message): { role: string; isLasting: boolean } {
  return { role, isLasting: !isTurnScoped };
}

/** RW1. */
function deferEdits(text: string, tools: readonly ToolEntry[], deferred: ReadonlySet<number>): Edit[] {
  return [...deferred].flatMap((index) => {
    const tool = tools[index];
    if (tool === undefined) return [];
    // The outline has found the flag; looking for it again would read every declaration twice.
    return tool.deferLoading === undefined
      ? [insertMember(tool.span, text, '"defer_loading":true')]
      : [replaceValue(tool.deferLoading.value, 'true')];
  });
}

/**
 * RW5, and the same for the marks of removed tools. A mark is copied byte for byte, so its TTL and whatever else it
 * holds stay as they are.
 */
function markEdits(
  text: string,
  tools: readonly ToolEntry[],
  moves: readonly MarkMove[],
  removed: ReadonlySet<number>,
): Edit[] {
  const targets = new Set(moves.map(({ to }) => to));
  const edits: Edit[] = [];
  for (const { from, to } of moves) {
    const source = tools[from];
    if (source?.mark === undefined) continue;
    if (!targets.has(from) && !removed.has(from)) edits.push(removeMember(text, source.mark.span));
    const target = to === 'search' ? undefined : tools[to];
    if (target === undefined) continue;
    edits.push(setMember(target.span, text, 'cache_control', valueOf(text, source.mark)));
  }
  return edits;
}

function unmarkEdits(text: string, tools: readonly ToolEntry[], deferred: ReadonlySet<number>): Edit[] {
  return [...deferred].flatMap((index) => {
    const mark = tools[index]?.mark;
    return mark === undefined ? [] : [removeMember(text, mark.span)];
  });
}

function searchEntry(
  text: string,
  tools: readonly ToolEntry[],
  moves: readonly MarkMove[],
  searchTool: string,
): string {
  const move = moves.find(({ to }) => to === 'search');
  const mark = move === undefined ? undefined : tools[move.from]?.mark;
  return mark === undefined
    ? searchTool
    : `${searchTool.slice(0, -1)},"cache_control":${valueOf(text, mark)}}`;
}

function valueOf(text: string, { value }: CacheMark): string {
  return text.slice(value.start, value.end);
}

/** RW2: always a text block of its own, so that both spellings of the client's content render alike. */
function namesEdits(
  text: string,
  outline: MessagesOutline,
  position: Exclude<NamesPosition, { type: 'none' }>,
  namesList: string,
): Edit[] {
  const block = asciiJson({ type: 'text', text: namesList });
  if (position.type === 'top-level-system') {
    if (outline.system !== undefined) return appendBlock(text, outline.system, block);
    return [setMember(outline.span, text, 'system', `[${block}]`)];
  }
  const { span, items } = outline.messages ?? { span: outline.span, items: [] };
  const message = items[position.index];
  if (position.type === 'inside-message')
    return message === undefined ? [] : appendBlock(text, message.content, block);
  const added = `{"role":"system","content":[${block}]}`;
  const before = items[position.index - 1];
  return [before === undefined ? appendItem(span, text, added) : insertItemAfter(before.span, added)];
}

function appendBlock(text: string, { span, spelling }: Content, block: string): Edit[] {
  if (spelling === 'blocks') return [appendItem(span, text, block)];
  // An empty string renders nothing, and a text block without text is refused.
  if (span.end - span.start === emptyString.length) return [replaceValue(span, `[${block}]`)];
  return [
    { span: { start: span.start, end: span.start }, text: '[{"type":"text","text":' },
    { span: { start: span.end, end: span.end }, text: `},${block}]` },
  ];
}

const emptyString = '""';
