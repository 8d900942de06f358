import { expect, test } from 'vitest';
import { dropOldest, setYoungest } from '../src/drop-oldest.ts';

test('FA5: what is kept is bounded: the oldest entry goes, and one that is set anew is the youngest', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  expect(dropOldest(map, 2)).toBeUndefined();
  expect(setYoungest(map, 'a', 3, 2)).toBeUndefined();
  expect(setYoungest(map, 'c', 4, 2)).toBe('b');
  expect([...map.keys()]).toEqual(['a', 'c']);
});
