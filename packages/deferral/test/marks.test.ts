import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { placeMarks, type PlacedTool } from '@quartermaster/deferral';

/** `L` loaded, `d` deferred; `*` behind it for a mark: `d* L L*`. */
function toolList(text: string): PlacedTool[] {
  return text.split(' ').map((word) => ({ isLoaded: word.startsWith('L'), isMarked: word.endsWith('*') }));
}

function movesOf(text: string, hasSearchEntry = true): string {
  const placement = placeMarks(toolList(text), { hasSearchEntry });
  if (placement.type === 'no-room') return 'no room';
  return placement.moves.map(({ from, to }) => `${from}→${to}`).join(' ');
}

test.each([
  ['a mark on a loaded tool stays', 'L* d L*', ''],
  ['a mark on a deferred tool goes to the loaded tool before it', 'L L d d* L', '3→1'],
  ['the one before wins over a nearer one after', 'L d d d* L', '3→0'],
  ['without a loaded tool before, it goes to the nearest after', 'd d* d L L', '1→3'],
  ['a tool that has a mark takes no second one', 'L L* d*', '1→0 2→1'],
  ['two marks stay two: the second goes to the next tool before', 'L L d* d*', '2→0 3→1'],
  ['with all before marked, the mark goes after', 'L* d* L', '1→2'],
  ['with all loaded tools marked, it goes to the search entry', 'L* d*', '1→search'],
  ['the search entry comes after all loaded tools, not before', 'L* d* d L', '1→3'],
  ['without a loaded tool it goes to the search entry', 'd* d', '0→search'],
])('RW5: %s (%s)', (_, tools, moves) => {
  expect(movesOf(tools)).toBe(moves);
});

test('RW5: marks keep their order, so a loaded tool’s mark makes room for one that stood before it', () => {
  // As 1 h, 5 m: moving the first alone over the second would put 5 m before 1 h, which is a 400.
  expect(movesOf('d* L* L')).toBe('0→1 1→2');
  expect(movesOf('d* L*')).toBe('0→1 1→search');
  expect(movesOf('d* L* L* L')).toBe('0→1 1→2 2→3');
});

test('RW5, RW8: where nothing can take a mark, there is no room', () => {
  expect(movesOf('L* d* d*')).toBe('no room');
  expect(movesOf('L* d*', false)).toBe('no room');
  expect(movesOf('d* d', false)).toBe('no room');
});

test('RW5: without a search entry of ours the client’s own search tool is a loaded tool like any other', () => {
  expect(movesOf('d* L', false)).toBe('0→1');
});

test('RW5: a list without marks, or without tools, moves nothing', () => {
  expect(movesOf('L d L')).toBe('');
  expect(placeMarks([], { hasSearchEntry: true })).toEqual({ type: 'placed', moves: [] });
});

const anyTools = fc.array(fc.record({ isLoaded: fc.boolean(), isMarked: fc.boolean() }), { maxLength: 12 });

/** The mark that each place has after the moves, named by the tool that it stood on. */
function marksAfter(tools: readonly PlacedTool[], hasSearchEntry: boolean): Map<number, number> | undefined {
  const placement = placeMarks(tools, { hasSearchEntry });
  if (placement.type === 'no-room') return undefined;
  const places = new Map([...tools.keys()].filter((at) => tools[at]?.isMarked).map((at) => [at, at]));
  for (const { from } of placement.moves) places.delete(from);
  for (const { from, to } of placement.moves) {
    const place = to === 'search' ? tools.length : to;
    expect(places.has(place), `two marks at ${place}`).toBe(false);
    places.set(place, from);
  }
  return places;
}

test('RW5: no mark is lost, doubled, on a deferred tool or out of its order; no room only where there is none', () => {
  fc.assert(
    fc.property(anyTools, fc.boolean(), (tools, hasSearchEntry) => {
      const marked = [...tools.keys()].filter((at) => tools[at]?.isMarked);
      const room = tools.filter((tool) => tool.isLoaded).length + (hasSearchEntry ? 1 : 0);
      const after = marksAfter(tools, hasSearchEntry);
      expect(after !== undefined).toBe(marked.length <= room);
      if (after === undefined) return;

      const places = [...after].toSorted(([left], [right]) => left - right);
      expect(places.map(([, mark]) => mark)).toEqual(marked);
      for (const [place] of places) expect(tools[place]?.isLoaded ?? hasSearchEntry).toBe(true);
      const firstPlace = places[0]?.[0];
      if (places.length === 1 && tools[marked[0] ?? -1]?.isLoaded) expect(firstPlace).toBe(marked[0]);
    }),
    { seed: inject('seed'), numRuns: 1_000 },
  );
});

test('RW5: moves come in the order of the list, and none goes nowhere', () => {
  fc.assert(
    fc.property(anyTools, (tools) => {
      const placement = placeMarks(tools, { hasSearchEntry: true });
      const moves = placement.type === 'placed' ? placement.moves : [];
      const origins = moves.map(({ from }) => from);
      expect(origins).toEqual(origins.toSorted((left, right) => left - right));
      for (const { from, to } of moves) expect(to).not.toBe(from);
    }),
    { seed: inject('seed') },
  );
});
