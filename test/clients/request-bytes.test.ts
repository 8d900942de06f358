import { expect, test } from 'vitest';
import { insertions, rawValue, withoutMarks } from './request-bytes.ts';

const before = JSON.stringify({
  model: 'm',
  messages: [
    { role: 'user', content: 'a question that is long enough to be told from its surroundings' },
    { role: 'assistant', content: 'an answer that is long enough to be told from its surroundings' },
  ],
  tools: [
    { name: 'first', description: 'a description that is long enough to be told from its surroundings' },
    { name: 'second', description: 'another description that is long enough to be told from all else' },
  ],
});

test('what was put into a request is found, piece by piece', () => {
  const after = before
    .replace('"content":"a question', '"content":[{"type":"text","text":"a question')
    .replace('surroundings"},{"role"', 'surroundings"},{"type":"text","text":"names"}]},{"role"')
    .replace('all else"}', 'all else","defer_loading":true},{"type":"search"}');

  const found = insertions(before, after);

  expect(found).toHaveLength(3);
  expect(found.join('')).toHaveLength(after.length - before.length);
});

test('an untouched request has no insertions', () => {
  expect(insertions(before, before)).toEqual([]);
});

test('a changed or a missing byte is told from an addition', () => {
  expect(() => insertions(before, before.replace('long enough', 'short enough'))).toThrow(/was changed/);
  expect(() => insertions(before, before.replace(' that is', ''))).toThrow(/was changed/);
  expect(() => insertions(before, before.slice(0, -1))).toThrow(/was changed/);
});

test('a value is cut out as it stands, and another spelling of it is an error', () => {
  expect(JSON.parse(rawValue(before, 'tools'))).toHaveLength(2);
  expect(() => rawValue(before.replace('"tools":[', '"tools": ['), 'tools')).toThrow(/not spelled/);
});

test('a marked block and the plain string that it becomes are the same message', () => {
  const marked = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
  expect(withoutMarks([{ role: 'user', content: [marked] }])).toEqual(
    withoutMarks([{ role: 'user', content: 'a' }]),
  );
});
