import {
  isSearchTool,
  type MarkMove,
  type NamesPosition,
  namesPosition,
  placeMarks,
  type PlacedTool,
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
import { type Additions, noAdditions } from '../search/additions.ts';
import { type RestoredPlace, restoringEdits } from '../search/restore.ts';
import { answeringEdits } from '../search/unanswered.ts';
import { type ChosenTools, chooseTools } from './choose.ts';
import { placeholderEntry } from './placeholder.ts';

/** The edits that carry out a thread's decision on one request, or why the request goes as it came. */
export type Rewrite =
  | {
      readonly type: 'edits';
      readonly edits: readonly Edit[];
      /** Whether every mark of the client's found a place (RW5). Where not, those of deferred and removed tools are gone. */
      readonly keepsMarks: boolean;
      readonly shape: RewriteShape;
    }
  | { readonly type: 'unchanged'; readonly reason: UnchangedReason };

/** Why a decision has no edits for a request. */
export type UnchangedReason = 'no-removed-tool' | 'no-place-for-names';

/** What the edits do to the prompt, for whoever has to tell its forms apart. Numbers are indexes of the request's tools. */
export interface RewriteShape {
  readonly removal: RemovalShape;
  /** `undefined`: nothing is deferred. */
  readonly deferral: DeferralShape | undefined;
}

/** What removal does to the prompt. */
export interface RemovalShape {
  readonly removed: ReadonlySet<number>;
  /** How marks move where nothing is deferred beside. */
  readonly moves: readonly MarkMove[];
}

/** What deferral does to the prompt. */
export interface DeferralShape {
  readonly deferred: ReadonlySet<number>;
  readonly moves: readonly MarkMove[];
  readonly names: PlacedNames;
  readonly hasSearchEntry: boolean;
  /** Searches that the transcript was given back (Q2). */
  readonly restored: readonly RestoredPlace[];
}

type DeferDecision = Extract<Decision, { type: 'defer' }>;
type PlacedNames = Exclude<NamesPosition, { type: 'none' }>;

/**
 * Turns a decision, and what the record of the thread's searches adds, into edits of the client's bytes: a pure function
 * of all three, so that it is the same in every request of the thread (RW3) and nothing else moves (RW7).
 */
export function rewriteMessages(
  text: string,
  outline: MessagesOutline,
  decision: EditDecision,
  additions: Additions = noAdditions,
): Rewrite {
  const chosen = chooseTools(outline, decision);
  if (decision.type === 'defer') return rewriteDeferring(text, outline, decision, { chosen, additions });
  if (chosen.removed.size > 0) return rewriteRemoving(text, outline, chosen.removed);
  return { type: 'unchanged', reason: 'no-removed-tool' };
}

function rewriteDeferring(
  text: string,
  outline: MessagesOutline,
  decision: DeferDecision,
  { chosen, additions }: { readonly chosen: ChosenTools; readonly additions: Additions },
): Rewrite {
  const { removed, deferred } = chosen;
  const tools = outline.tools?.items ?? [];
  const names = namesPosition(decision.namesPlace, (outline.messages?.items ?? []).map(toPlacedMessage));
  if (names.type === 'none') return { type: 'unchanged', reason: 'no-place-for-names' };
  const hasSearchEntry = !tools.some(({ type }) => isSearchTool(type));
  const hasDeferred =
    deferred.size > 0 || additions.definitions.length > 0 || tools.some(({ isDeferred }) => isDeferred);
  const placed = placeMarks(placedTools(tools, [removed, deferred]), { hasSearchEntry });
  // In mid-thread a lost mark costs a cache entry at worst; going back to the original would move the prefix.
  const keepsMarks = placed.type === 'placed';
  const moves = keepsMarks ? placed.moves : [];
  const edits = [
    ...namesEdits(text, outline, names, decision.namesList),
    ...removeItems(text, spansOf(tools, removed)),
    ...deferEdits(text, tools, deferred),
    ...(keepsMarks ? markEdits(text, tools, moves, removed) : unmarkEdits(text, tools, deferred)),
    ...restoringEdits(outline, additions.places),
    ...definitionEdits(text, outline, hasDeferred ? additions.definitions : [placeholderEntry]),
    ...(hasSearchEntry ? [...answeringEdits(outline), ...searchEdits(text, outline, moves, decision)] : []),
  ];
  const removal = { removed, moves: movesOfRemoval(tools, removed) };
  return {
    type: 'edits',
    edits,
    keepsMarks,
    shape: { removal, deferral: { deferred, moves, names, hasSearchEntry, restored: additions.places } },
  };
}

function rewriteRemoving(text: string, outline: MessagesOutline, removed: ReadonlySet<number>): Rewrite {
  const tools = outline.tools?.items ?? [];
  const placed = placeMarks(placedTools(tools, [removed]), { hasSearchEntry: false });
  const moves = placed.type === 'placed' ? placed.moves : [];
  const edits = [...removeItems(text, spansOf(tools, removed)), ...markEdits(text, tools, moves, removed)];
  const shape = { removal: { removed, moves }, deferral: undefined };
  return { type: 'edits', edits, keepsMarks: placed.type === 'placed', shape };
}

function placedTools(
  tools: readonly ToolEntry[],
  unloaded: readonly ReadonlySet<number>[],
): readonly PlacedTool[] {
  return tools.map((tool, index) => ({
    isLoaded: !tool.isDeferred && !unloaded.some((indexes) => indexes.has(index)),
    isMarked: tool.mark !== undefined,
  }));
}

function movesOfRemoval(tools: readonly ToolEntry[], removed: ReadonlySet<number>): readonly MarkMove[] {
  if (removed.size === 0) return [];
  const placed = placeMarks(placedTools(tools, [removed]), { hasSearchEntry: false });
  return placed.type === 'placed' ? placed.moves : [];
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

/** Q3: what a tool reference of the transcript names stands in the list, deferred, whatever the client sends. */
function definitionEdits(text: string, { tools }: MessagesOutline, definitions: readonly string[]): Edit[] {
  if (tools === undefined || definitions.length === 0) return [];
  return [appendItem(tools.span, text, definitions.join(','))];
}

function searchEdits(
  text: string,
  { tools }: MessagesOutline,
  moves: readonly MarkMove[],
  { searchTool }: DeferDecision,
): readonly Edit[] {
  if (tools === undefined) return [];
  return [appendItem(tools.span, text, searchEntry(text, tools.items, moves, searchTool))];
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
  position: PlacedNames,
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
