import { isSearchBlock } from '../relay/block-kinds.ts';
import { nameIn, type PlacedBlock } from './anchors.ts';
import { kindOfName } from './block-name.ts';
import { splitPosition } from './split-text.ts';
import type { SearchGap, SearchTurn } from './turn.ts';

/** Where blocks are put into a transcript: before the block `index` of a message, or behind its last. */
export interface Place {
  readonly message: number;
  readonly index: number;
  /** Inside the text block at `index`, where the client has made one of two: the position to cut it at. */
  readonly splitAt?: number;
}

interface NamedBlock extends PlacedBlock {
  readonly name: string;
}

/** What a client shows of an answer, held against what it was shown. */
interface Aligned {
  /** Of what it was shown, in order. */
  readonly shown: readonly string[];
  /** The same blocks where the client still has them: positions in `sent`. */
  readonly kept: readonly (number | undefined)[];
  /** What it sends, without the searches that it may send by itself. */
  readonly sent: readonly NamedBlock[];
}

/**
 * Finds the places of an answer's searches in what its client made of it; `undefined` for one that has none any more. A
 * gap is where its neighbours are. Where the client has altered or dropped them, it is at the one cut at which what
 * stands there now can have come of what stood on both its sides.
 */
export function findPlaces(
  text: string,
  blocks: readonly PlacedBlock[],
  { shown, gaps }: SearchTurn,
): readonly (Place | undefined)[] {
  const sent = nameAll(text, blocks);
  const aligned = { shown, sent, kept: align(shown, sent) };
  return gaps.map(
    ({ at, inText }) =>
      besideNeighbour(aligned, at) ?? insideText(text, aligned, inText) ?? betweenOthers(aligned, at),
  );
}

/** Whether the blocks can be this answer's: a client makes no thoughts, so one that it was not shown is of another. */
export function canBeOf({ shown }: SearchTurn, text: string, blocks: readonly PlacedBlock[]): boolean {
  const known = new Set(shown);
  return nameAll(text, blocks).every(({ name }) => kindOfName(name) !== 'thinking' || known.has(name));
}

function nameAll(text: string, blocks: readonly PlacedBlock[]): readonly NamedBlock[] {
  const sent = blocks.filter(({ block }) => !isSearchBlock(block));
  return sent.map((placed) => ({ ...placed, name: nameIn(text, placed.block) }));
}

/** By names that stand as often on both sides, in their order; of the others their neighbours tell. */
function align(shown: readonly string[], sent: readonly NamedBlock[]): Aligned['kept'] {
  const here = positionsOf(sent.map(({ name }) => name));
  const there = positionsOf(shown);
  return shown.map((name, position) => {
    const positions = there.get(name) ?? [];
    const kept = here.get(name) ?? [];
    return kept.length === positions.length ? kept[positions.indexOf(position)] : undefined;
  });
}

function positionsOf(names: readonly string[]): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(names.keys(), (position) => names[position] ?? '');
}

/** Before the block that followed, or behind the one before. */
function besideNeighbour({ kept, sent }: Aligned, at: number): Place | undefined {
  const next = kept[at];
  if (next !== undefined) return before(sent[next]);
  const previous = kept[at - 1];
  return previous === undefined ? undefined : behind(sent[previous]);
}

/** In the middle of a text that its client has made of those around. */
function insideText(text: string, { sent }: Aligned, inText: SearchGap['inText']): Place | undefined {
  if (inText === undefined) return undefined;
  const [found, ...others] = sent.filter(({ name }) => name === inText.name);
  if (found === undefined || others.length > 0) return undefined;
  if (inText.before === 0) return before(found);
  if (inText.before === inText.length) return behind(found);
  const splitAt = splitPosition(text, found.block, inText.before);
  return splitAt === undefined ? undefined : { message: found.message, index: found.index, splitAt };
}

/** Among the blocks that stand now between the nearest neighbours which the client has kept. */
function betweenOthers({ shown, kept, sent }: Aligned, at: number): Place | undefined {
  const previousAt = kept.findLastIndex((position, index) => index < at && position !== undefined);
  const nextAt = kept.findIndex((position, index) => index >= at && position !== undefined);
  const start = (kept[previousAt] ?? -1) + 1;
  const end = kept[nextAt] ?? sent.length;
  const lost = {
    left: shown.slice(previousAt + 1, at).map(kindOfName),
    right: shown.slice(at, nextAt === -1 ? undefined : nextAt).map(kindOfName),
  };
  const others = sent.slice(start, end).map(({ name }) => kindOfName(name));
  // Neighbours that have changed sides tell nothing.
  if (start > end || others.length > lost.left.length + lost.right.length) return undefined;
  const cuts = [...others.keys(), others.length].filter(
    (cut) => canComeOf(others.slice(0, cut), lost.left) && canComeOf(others.slice(cut), lost.right),
  );
  const [cut] = cuts;
  if (cut === undefined || cuts.length > 1) return undefined;
  return before(sent[start + cut]) ?? behind(sent[start + cut - 1]);
}

/** Whether these are what is left of those, in order. */
function canComeOf(left: readonly string[], of: readonly string[]): boolean {
  let at = 0;
  for (const kind of of) if (kind === left[at]) at += 1;
  return at === left.length;
}

function before(placed: NamedBlock | undefined): Place | undefined {
  return placed && { message: placed.message, index: placed.index };
}

function behind(placed: NamedBlock | undefined): Place | undefined {
  return placed && { message: placed.message, index: placed.index + 1 };
}
