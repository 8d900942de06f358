import { describe, expect, test } from 'vitest';
import { createAnswerContent } from '../src/relay/content.ts';
import { continuedRequest } from '../src/relay/continuation.ts';

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The block that a stream tells in a start and these deltas, as text. */
function told(start: string, deltas: readonly string[], { isStopped } = { isStopped: true }) {
  const content = createAnswerContent();
  content.start(3, latin1(start));
  for (const delta of deltas) content.delta(3, latin1(delta));
  if (isStopped) content.stop(3);
  const [block] = content.blocks();
  return { json: Buffer.from(block?.json ?? '', 'latin1').toString('utf8'), isWhole: block?.isWhole };
}

describe('Q4: a block that came in pieces is put together as the provider spelled it', () => {
  test.each([
    [
      'a text, with its escapes',
      '{"type":"text","text":""}',
      [
        '{"type":"text_delta","text":"ü\\u00fc \\"a"}',
        '{"type":"text_delta","text":"\\ud83d"}',
        '{"type":"text_delta","text":"\\ude80"}',
      ],
      '{"type":"text","text":"ü\\u00fc \\"a\\ud83d\\ude80"}',
    ],
    [
      'a text with sources',
      '{"type":"text","text":"","citations":[]}',
      [
        '{"type":"text_delta","text":"a"}',
        '{"type":"citations_delta","citation":{"n":1}}',
        '{"type":"citations_delta","citation":{"n":2}}',
      ],
      '{"type":"text","text":"a","citations":[{"n":1},{"n":2}]}',
    ],
    [
      'a thought and its signature',
      '{"type":"thinking","thinking":"","signature":""}',
      ['{"type":"thinking_delta","thinking":"hm"}', '{"type":"signature_delta","signature":"c2ln"}'],
      '{"type":"thinking","thinking":"hm","signature":"c2ln"}',
    ],
    [
      'a call, whose input keeps its number’s spelling',
      '{"type":"tool_use","id":"t","name":"A","input":{},"caller":{"type":"direct"}}',
      [
        '{"type":"input_json_delta","partial_json":""}',
        '{"type":"input_json_delta","partial_json":"{\\"n\\": 1.0"}',
        '{"type":"input_json_delta","partial_json":",\\"ü\\":[]}"}',
      ],
      '{"type":"tool_use","id":"t","name":"A","input":{"n": 1.0,"ü":[]},"caller":{"type":"direct"}}',
    ],
    [
      'a call without any input',
      '{"type":"tool_use","id":"t","name":"A","input":{}}',
      ['{"type":"input_json_delta","partial_json":""}'],
      '{"type":"tool_use","id":"t","name":"A","input":{}}',
    ],
    [
      'a result, which comes whole',
      '{"type":"x_result","content":[1]}',
      [],
      '{"type":"x_result","content":[1]}',
    ],
  ] as const)('%s', (_, start, deltas, expected) => {
    expect(told(start, deltas)).toEqual({ json: expected, isWhole: true });
  });

  test.each([
    ['a delta of a kind that is not known', ['{"type":"martian_delta","foo":1}'], true],
    ['an end that never came', ['{"type":"text_delta","text":"a"}'], false],
    ['an input that is no JSON', ['{"type":"input_json_delta","partial_json":"{\\"a\\":["}'], true],
  ] as const)('%s leaves it incomplete, and nothing is continued from it', (_, deltas, isStopped) => {
    const start = '{"type":"text","text":""}';
    expect(told(start, deltas, { isStopped }).isWhole).toBe(false);
    const content = createAnswerContent();
    content.start(0, start);
    const sent = Buffer.from('{"messages":[{"role":"user","content":"x"}]}');
    expect(continuedRequest(sent, content.blocks())).toBeUndefined();
  });
});

test('Q2: a call whose input the output’s limit cut off is still a call, by its id', () => {
  const start = '{"type":"tool_use","id":"toolu_1","name":"A","input":{}}';
  expect(told(start, ['{"type":"input_json_delta","partial_json":"{\\"a\\":["}'])).toEqual({
    json: start,
    isWhole: false,
  });
});
