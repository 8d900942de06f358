import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { findNearest } from '../src/config/nearest.ts';

test.each([
  ['prot', 'port'],
  ['hots', 'host'],
  ['presett', 'preset'],
  ['Preset', 'preset'],
  ['pre', undefined],
  ['xyz', undefined],
])('%s is taken for %s', (word, expected) => {
  expect(findNearest(word, ['host', 'port', 'preset'])).toBe(expected);
});

test('a word is nearest to itself, and one wrong character in a longer word is found', () => {
  const word = fc.stringMatching(/^[a-z]{4,12}$/);
  fc.assert(
    fc.property(word, fc.nat(), (text, at) => {
      const place = at % text.length;
      const wrong = `${text.slice(0, place)}~${text.slice(place + 1)}`;
      expect(findNearest(text, ['QQQQQQ', text])).toBe(text);
      expect(findNearest(wrong, ['0123456789', text])).toBe(text);
    }),
    { seed: inject('seed') },
  );
});
