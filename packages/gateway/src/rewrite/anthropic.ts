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
  removeMember,
  replaceValue,
  setMember,
  type ToolEntry,
} from '@quartermaster/wire';
import type { Decision } from '../threads/decision.ts';
import { deferredIndexes } from './tools.ts';

/** The edits that carry out a thread's decision on one request, or why the request goes as it came. */
export type Rewrite =
  | {
      readonly type: 'edits';
      readonly edits: readonly Edit[];
      /** Whether every mark of the client's found a place (RW5). Where not, those of deferred tools are gone. */
      readonly keepsMarks: boolean;
      readonly shape: RewriteShape;
    }
  | { readonly type: 'unchanged'; readonly reason: UnchangedReason };

export type UnchangedReason = 'no-deferred-tool' | 'no-place-for-names';

/** What the edits do to the prompt, for whoever has to tell the two apart. */
export interface RewriteShape {
  /** Indexes of the request's tools. */
  readonly deferred: ReadonlySet<number>;
  readonly moves: readonly MarkMove[];
  readonly names: Exclude<NamesPosition, { type: 'none' }>;
  readonly hasSearchEntry: boolean;
}

type DeferDecision = Extract<Decision, { type: 'defer' }>;

/**
 * Turns a decision into edits of the client's bytes: a pure function of both, so that it is the same in every request
 * of the thread (RW3) and nothing else moves (RW7).
 */
export function rewriteMessages(text: string, outline: MessagesOutline, decision: DeferDecision): Rewrite {
  const { tools, messages } = outline;
  if (tools === undefined || messages === undefined) return { type: 'unchanged', reason: 'no-deferred-tool' };
  const deferred = deferredIndexes(tools.items, new Set(decision.units), outline.toolChoice?.name);
  if (deferred.size === 0) return { type: 'unchanged', reason: 'no-deferred-tool' };
  const hasOwnSearch = tools.items.some(({ type }) => isSearchTool(type));
  const placed = placeMarks(
    tools.items.map((tool, index) => ({
      isLoaded: !deferred.has(index) && !tool.isDeferred,
      isMarked: tool.mark !== undefined,
    })),
    { hasSearchEntry: !hasOwnSearch },
  );
  const position = namesPosition(decision.namesPlace, messages.items.map(toPlacedMessage));
  if (position.type === 'none') return { type: 'unchanged', reason: 'no-place-for-names' };
  // In mid-thread a lost mark costs a cache entry at worst; going back to the original would move the prefix.
  const moves = placed.type === 'placed' ? placed.moves : [];
  const edits = [
    ...namesEdits(text, outline, position, decision.namesList),
    ...deferEdits(text, tools.items, deferred),
    ...(placed.type === 'placed'
      ? markEdits(text, tools.items, moves)
      : unmarkEdits(text, tools.items, deferred)),
  ];
  if (!hasOwnSearch)
    edits.push(appendItem(tools.span, text, searchEntry(text, tools.items, moves, decision)));
  const shape = { deferred, moves, names: position, hasSearchEntry: !hasOwnSearch };
  return { type: 'edits', edits, keepsMarks: placed.type === 'placed', shape };
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

/** RW5. A mark is copied byte for byte, so its TTL and whatever else it holds stay as they are. */
function markEdits(text: string, tools: readonly ToolEntry[], moves: readonly MarkMove[]): Edit[] {
  const targets = new Set(moves.map(({ to }) => to));
  const edits: Edit[] = [];
  for (const { from, to } of moves) {
    const source = tools[from];
    if (source?.mark === undefined) continue;
    if (!targets.has(from)) edits.push(removeMember(text, source.mark.span));
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
  { searchTool }: DeferDecision,
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
