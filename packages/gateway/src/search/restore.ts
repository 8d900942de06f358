import type { Edit, Message, MessagesOutline } from '@quartermaster/wire';
import { insertItemAfter } from '@quartermaster/wire';
import { isSearchBlock } from '../relay/block-kinds.ts';
import { type AssistantRun, isShared } from './anchors.ts';
import { canBeOf, findPlaces, type Place } from './place.ts';
import { textEnd, textStart } from './split-text.ts';
import type { SearchBlock, SearchTurn } from './turn.ts';

/** Search blocks that a transcript is given back, and where. */
export interface RestoredPlace extends Place {
  readonly blocks: readonly SearchBlock[];
}

/** What a transcript is given back. */
export interface Restoration {
  /** In the order of the transcript. */
  readonly places: readonly RestoredPlace[];
  /** Searches of answers in the transcript that have no exact place in it any more, and stay out whole. */
  readonly unplaced: number;
}

/**
 * Finds where the searches that a client did not see belong in its transcript (Q2): a pure function of both. A search
 * and its result are given back together or not at all.
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
  const found = runs.flatMap((run) => turnsOf(text, turns, run));
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

/** Of calls each may have one; of the others the surest counts, and may be another answer's to the same request. */
function turnsOf(
  text: string,
  turns: ReadonlyMap<string, SearchTurn>,
  run: AssistantRun,
): readonly FoundTurn[] {
  const found = run.anchors.flatMap((anchor) => {
    const turn = turns.get(anchor);
    return turn === undefined ? [] : [{ run, turn, anchor }];
  });
  const [surest] = found;
  if (surest === undefined || !isShared(surest.anchor)) return found;
  return canBeOf(surest.turn, text, run.blocks) ? [surest] : [];
}

interface PlacedGap {
  readonly blocks: readonly SearchBlock[];
  readonly place: Place | undefined;
}

function placeGaps(text: string, { blocks }: AssistantRun, turn: SearchTurn): readonly PlacedGap[] {
  const places = findPlaces(text, blocks, turn);
  return turn.gaps.map((gap, index) => ({ blocks: gap.blocks, place: places[index] }));
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

function byPlace(left: Place, right: Place): number {
  return (
    left.message - right.message || left.index - right.index || (left.splitAt ?? 0) - (right.splitAt ?? 0)
  );
}
