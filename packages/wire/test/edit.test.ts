import { applyEdits, undoEdits } from '@quartermaster/wire';
import type { Edit } from '@quartermaster/wire';
import { expect, test } from 'vitest';

test('RW7: edits in any order change what they span and nothing else', () => {
  expect(
    applyEdits('0123456789', [edit(8, 9, ''), edit(2, 4, 'ab'), edit(0, 0, '<'), edit(10, 10, '>')]),
  ).toBe('<01ab45679>');
  expect(applyEdits('same', [])).toBe('same');
});

test('insertions at one place keep their order and stand before what starts there', () => {
  expect(applyEdits('ab', [edit(1, 2, 'B'), edit(1, 1, '1'), edit(1, 1, '2')])).toBe('a12B');
});

test('an edit may begin where another ends', () => {
  expect(applyEdits('abcd', [edit(1, 2, 'B'), edit(2, 3, 'C'), edit(3, 3, '-')])).toBe('aBC-d');
});

test('law 2: undoing gives the text back, where removals and insertions meet too', () => {
  const original = 'abcdef';
  const edits = [
    edit(4, 4, 'x'),
    edit(2, 4, ''),
    edit(4, 5, ''),
    edit(0, 0, ''),
    edit(0, 1, 'AAA'),
    edit(6, 6, '!'),
  ];
  const edited = applyEdits(original, edits);
  expect(edited).toBe('AAAbxf!');
  expect(applyEdits(edited, undoEdits(original, edits))).toBe(original);
});

test.each([
  ['spans that share a character', [edit(0, 3, ''), edit(2, 4, '')]],
  ['the same span twice', [edit(0, 2, 'a'), edit(0, 2, 'a')]],
  ['an insertion inside of what is replaced', [edit(0, 4, ''), edit(2, 2, 'x')]],
])('refuses to guess at %s', (_name, edits) => {
  expect(() => applyEdits('abcdef', edits)).toThrow(expect.objectContaining({ code: 'WIRE_EDITS_OVERLAP' }));
  expect(() => undoEdits('abcdef', edits)).toThrow(expect.objectContaining({ code: 'WIRE_EDITS_OVERLAP' }));
});

test.each([edit(-1, 0, ''), edit(3, 2, ''), edit(0, 7, ''), edit(0.5, 1, ''), edit(Number.NaN, 1, '')])(
  'refuses a span outside of the text: $span',
  (outside) => {
    expect(() => applyEdits('abcdef', [outside])).toThrow(
      expect.objectContaining({ code: 'WIRE_EDIT_OUT_OF_RANGE', name: 'WireError' }),
    );
  },
);

test('refuses characters that are not one byte, and takes those that are', () => {
  expect(() => applyEdits('a', [edit(0, 0, 'Ā')])).toThrow(
    expect.objectContaining({ code: 'WIRE_EDIT_NOT_LATIN1' }),
  );
  expect(applyEdits('a', [edit(0, 0, 'ÿ')])).toBe('ÿa');
});

function edit(start: number, end: number, text: string): Edit {
  return { span: { start, end }, text };
}
