import { outlineMessages } from '@quartermaster/wire';
import { expect, test } from 'vitest';
import { withBeta } from '../src/http/headers.ts';
import { withDroppedThinking } from '../src/rewrite/thinking.ts';

function drop(text: string): string | undefined {
  const read = outlineMessages(text);
  if (read.type === 'refused') throw new Error(read.reason);
  return withDroppedThinking(text, read.outline);
}

test.each([
  [
    '{"thinking" : {"type":"adaptive" } ,"x":1.0e0}',
    '{"thinking" : {"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"} } ,"x":1.0e0}',
  ],
  ['{"thinking":{}}', '{"thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"}}}'],
  [
    '{"thinking":{"block_binding":{"other":[1]},"type":"enabled"}}',
    '{"thinking":{"block_binding":{"other":[1],"prefix_mismatch_behavior":"drop_block"},"type":"enabled"}}',
  ],
  [
    '{"thinking":{"block_binding":{"prefix_mismatch_behavior" : "error"}}}',
    '{"thinking":{"block_binding":{"prefix_mismatch_behavior" : "drop_block"}}}',
  ],
  [
    '{"thinking":{"block_binding":null}}',
    '{"thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"}}}',
  ],
])('RF4: the control is spliced into %j', (text, expected) => {
  expect(drop(text)).toBe(expected);
});

test.each([
  '{}',
  '{"thinking":null}',
  '{"thinking":"adaptive"}',
  '{"thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"}}}',
  '{"thinking":{},"thinking":{}}',
])('RF4: %j is left as it is', (text) => {
  expect(drop(text)).toBeUndefined();
});

test('RF4: the beta joins those of the client, once', () => {
  expect(withBeta(['A', '1'], 'b')).toEqual(['A', '1', 'anthropic-beta', 'b']);
  expect(withBeta(['Anthropic-Beta', 'a, c', 'A', '1'], 'b')).toEqual(['Anthropic-Beta', 'a, c,b', 'A', '1']);
  expect(withBeta(['anthropic-beta', 'a, b'], 'b')).toEqual(['anthropic-beta', 'a, b']);
  expect(withBeta(['anthropic-beta', ''], 'b')).toEqual(['anthropic-beta', 'b']);
});
