import type { MarkMove, MarkPlacement, PlacedTool } from './placement.ts';

/**
 * Moves cache marks off deferred tools (RW5). Each takes the nearest loaded tool before it without a mark, else the
 * nearest after it, else the search entry.
 *
 * Marks keep their order: the first mark of the list goes to the first of the places found, and so on. So a 1 h mark
 * that stood before a 5 m one stands before it afterwards, though a mark on a loaded tool may have to make room.
 * Moves come in the order of `from`. `no-room`: the request is to go upstream as the client sent it (RW8).
 *
 * `hasSearchEntry`: whether a search entry of ours follows the last tool; not where the client brought its own.
 */
export function placeMarks(
  tools: readonly PlacedTool[],
  options: { readonly hasSearchEntry: boolean },
): MarkPlacement {
  const origins = [...tools.keys()].filter((index) => tools[index]?.isMarked);
  const places = findPlaces(tools, origins, options.hasSearchEntry);
  if (places === undefined) return { type: 'no-room' };

  const moves: MarkMove[] = [];
  for (const [rank, from] of origins.entries()) {
    const to = places[rank];
    if (to === undefined || to === from) continue;
    moves.push({ from, to: to === tools.length ? 'search' : to });
  }
  return { type: 'placed', moves };
}

/** One place for each mark, in the list's order; the search entry counts as the index after the last tool. */
function findPlaces(
  tools: readonly PlacedTool[],
  origins: readonly number[],
  hasSearchEntry: boolean,
): readonly number[] | undefined {
  const isLoaded = (index: number): boolean => tools[index]?.isLoaded ?? hasSearchEntry;
  const taken = new Set(origins.filter(isLoaded));
  const isFree = (index: number): boolean => isLoaded(index) && !taken.has(index);
  for (const origin of origins) {
    if (isLoaded(origin)) continue;
    const place = nearest(origin, tools.length, isFree);
    if (place === undefined) return undefined;
    taken.add(place);
  }
  return [...taken].toSorted((left, right) => left - right);
}

/** The nearest free index before `origin`, else after it up to and including `last`. */
function nearest(origin: number, last: number, isFree: (index: number) => boolean): number | undefined {
  for (let index = origin - 1; index >= 0; index -= 1) if (isFree(index)) return index;
  for (let index = origin + 1; index <= last; index += 1) if (isFree(index)) return index;
  return undefined;
}
