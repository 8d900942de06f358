import type { Edit, Message, MessagesOutline } from '@quartermaster/wire';
import { insertItemAfter } from '@quartermaster/wire';
import { isSearchBlock } from '../relay/search-blocks.ts';
import { type AssistantRun, isShared, nameIn, type PlacedBlock } from './anchors.ts';
import { splitPosition, textEnd, textStart } from './split-text.ts';
import type { SearchBlock, SearchGap, SearchTurn } from './turn.ts';

/** Search blocks that a transcript is given back, and where: before the block `index` of a message, or behind its last. */
export interface RestoredPlace {
  readonly message: number;
  readonly index: number;
  /** Inside the text block at `index`, where the client has made one of two: the position to cut it at. */
  readonly splitAt?: number;
  readonly blocks: readonly SearchBlock[];
}

export interface Restoration {
  /** In the order of the transcript. */
  readonly places: readonly RestoredPlace[];
  /** Searches of answers in the transcript that have no exact place in it any more, and stay out whole. */
  readonly unplaced: number;
}

/**
 * Finds where the searches that a client did not see belong in its transcript (Q2): a pure function of both. A run of
 * them stands before the block that followed it, or where the client has dropped that one, behind the block that it
 * followed; where it has made one text of those around, in the middle of that. A search and its result are given back
 * together or not at all.
 */
export function restoreSearches(
  text: string,
  outline: MessagesOutline,
  {
    runs,
    turns,
  }: { readonly runs: readonly AssistantRun[]; readonly turns: ReadonlyMap<string, SearchTurn> },
): Restoration {
  const present = presentSearches(outline);
  const found = runs.flatMap((run) => turnsOf(turns, run));
  const placed = found.flatMap(({ run, turn }) => placeGaps(text, run, turn));
  const wanted = placed.map(({ place, blocks }) => ({
    place,
    blocks: blocks.filter(({ callId }) => !present.has(callId)),
  }));
  const complete = completeSearches(wanted);
  const places = wanted.flatMap(({ place, blocks }) => {
    const kept = blocks.filter(({ callId }) => complete.has(callId));
    return place === undefined || kept.length === 0 ? [] : [{ ...place, blocks: kept }];
  });
  const searches = new Set(wanted.flatMap(({ blocks }) => blocks.map(({ callId }) => callId)));
  return { places: places.toSorted(byPlace), unplaced: searches.size - complete.size };
}

/** The edits that put the blocks into the transcript. */
export function restoringEdits(
  { messages }: MessagesOutline,
  places: readonly RestoredPlace[],
): readonly Edit[] {
  const byMessage = Map.groupBy(places, ({ message }) => message);
  return [...byMessage].flatMap(([index, inMessage]) => {
    const message = messages?.items[index];
    return message === undefined ? [] : messageEdits(message, inMessage);
  });
}

function messageEdits({ content }: Message, places: readonly RestoredPlace[]): readonly Edit[] {
  const { span, blocks, spelling } = content;
  const inside = places.flatMap(splitEdits);
  const beside = places.filter(({ splitAt }) => splitAt === undefined);
  const before = beside.filter(({ index }) => index < blocks.length);
  const behind = beside.filter(({ index }) => index >= blocks.length).flatMap(jsonOf);
  if (spelling === 'string') {
    const opening = [...before.flatMap(jsonOf), ''].join(',');
    return [
      insertion(span.start, `[${opening}{"type":"text","text":`),
      ...inside,
      insertion(span.end, `}${['', ...behind].join(',')}]`),
    ];
  }
  const last = blocks.at(-1);
  return [
    ...inside,
    ...before.flatMap((place) => {
      const next = blocks[place.index];
      return next === undefined ? [] : [insertion(next.span.start, [...jsonOf(place), ''].join(','))];
    }),
    ...(last === undefined || behind.length === 0 ? [] : [insertItemAfter(last.span, behind.join(','))]),
  ];
}

function splitEdits(place: RestoredPlace): readonly Edit[] {
  if (place.splitAt === undefined) return [];
  return [insertion(place.splitAt, [textEnd, ...jsonOf(place), textStart].join(','))];
}

function insertion(at: number, text: string): Edit {
  return { span: { start: at, end: at }, text };
}

function jsonOf({ blocks }: RestoredPlace): readonly string[] {
  return blocks.map(({ json }) => json);
}

/** Ids of searches that the client sends itself. */
function presentSearches({ messages }: MessagesOutline): ReadonlySet<string> {
  const blocks = (messages?.items ?? []).flatMap(({ content }) => content.blocks);
  return new Set(blocks.filter(isSearchBlock).flatMap(({ callId }) => callId ?? []));
}

interface FoundTurn {
  readonly run: AssistantRun;
  readonly turn: SearchTurn;
}

/** Of calls each may have one; of the others the surest counts. */
function turnsOf(turns: ReadonlyMap<string, SearchTurn>, run: AssistantRun): readonly FoundTurn[] {
  const found = run.anchors.flatMap((anchor) => {
    const turn = turns.get(anchor);
    return turn === undefined ? [] : [{ run, turn, anchor }];
  });
  const [surest] = found;
  return surest !== undefined && isShared(surest.anchor) ? [surest] : found;
}

interface PlacedGap extends Pick<SearchGap, 'blocks'> {
  readonly place: Omit<RestoredPlace, 'blocks'> | undefined;
}

function placeGaps(text: string, { blocks }: AssistantRun, { gaps }: SearchTurn): readonly PlacedGap[] {
  const named = new Map<string, PlacedBlock | 'several'>();
  for (const placed of blocks) {
    const name = nameIn(text, placed.block);
    named.set(name, named.has(name) ? 'several' : placed);
  }
  return gaps.map((gap) => ({
    blocks: gap.blocks,
    place: placeOf(gap, named) ?? placeInText(text, gap, named),
  }));
}

function placeOf(
  { before, after }: SearchGap,
  named: ReadonlyMap<string, PlacedBlock | 'several'>,
): PlacedGap['place'] {
  const next = before === undefined ? undefined : named.get(before);
  if (next !== undefined && next !== 'several') return { message: next.message, index: next.index };
  const previous = after === undefined ? undefined : named.get(after);
  if (previous === undefined || previous === 'several') return undefined;
  return { message: previous.message, index: previous.index + 1 };
}

function placeInText(
  text: string,
  { inText }: SearchGap,
  named: ReadonlyMap<string, PlacedBlock | 'several'>,
): PlacedGap['place'] {
  const whole = inText === undefined ? undefined : named.get(inText.name);
  if (inText === undefined || whole === undefined || whole === 'several') return undefined;
  const { message, index, block } = whole;
  if (inText.before === 0) return { message, index };
  if (inText.before === inText.length) return { message, index: index + 1 };
  const splitAt = splitPosition(text, block, inText.before);
  return splitAt === undefined ? undefined : { message, index, splitAt };
}

/** The searches all of whose blocks have a place, the search before its result. */
function completeSearches(placed: readonly PlacedGap[]): ReadonlySet<string> {
  const places = new Map<string, PlacedGap['place'][]>();
  for (const { blocks, place } of placed) {
    for (const { callId } of blocks) places.set(callId, [...(places.get(callId) ?? []), place]);
  }
  const complete = [...places].filter(([, [call, result]]) => {
    return call !== undefined && result !== undefined && byPlace(call, result) <= 0;
  });
  return new Set(complete.map(([callId]) => callId));
}

function byPlace(left: Omit<RestoredPlace, 'blocks'>, right: Omit<RestoredPlace, 'blocks'>): number {
  return (
    left.message - right.message || left.index - right.index || (left.splitAt ?? 0) - (right.splitAt ?? 0)
  );
}
