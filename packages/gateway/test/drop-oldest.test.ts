import { expect, test } from 'vitest';
import { dropOldest } from '../src/drop-oldest.ts';

test('FA5: what is kept is bounded: the oldest entry goes, and one that is set anew is the youngest', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  expect(dropOldest(map, 2)).toBeUndefined();
  map.delete('a');
  map.set('a', 3);
  map.set('c', 4);
  expect(dropOldest(map, 2)).toBe('b');
  expect([...map.keys()]).toEqual(['a', 'c']);
});
