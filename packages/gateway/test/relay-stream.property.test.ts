import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { createRecordReader } from '../src/relay/records.ts';
import { createStreamJoiner } from '../src/relay/stream-joiner.ts';
import { createAnswerReader } from '../src/tap/answer.ts';

interface Block {
  readonly isSearch: boolean;
  readonly records: (index: number) => readonly string[];
}

const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
const spaces = fc.constantFrom('', ' ', '\t');

function record(type: string, json: string): string {
  return `event: ${type}\ndata: ${json}\n\n`;
}

function blockRecords(start: object, deltas: readonly object[], space: string) {
  return (index: number): readonly string[] => {
    const at = `"index"${space}:${space}${index}`;
    return [
      record(
        'content_block_start',
        `{"type":"content_block_start",${at},"content_block":${JSON.stringify(start)}}`,
      ),
      ...deltas.map((delta) =>
        record(
          'content_block_delta',
          `{"type":"content_block_delta",${at},"delta":${JSON.stringify(delta)}}`,
        ),
      ),
      record('content_block_stop', `{"type":"content_block_stop",${at}}`),
    ];
  };
}

const words = fc.string({ unit: 'grapheme', maxLength: 12 });

const textBlock: fc.Arbitrary<Block> = fc
  .tuple(fc.array(words, { maxLength: 3 }), spaces)
  .map(([pieces, space]) => ({
    isSearch: false,
    records: blockRecords(
      { type: 'text', text: '' },
      pieces.map((text) => ({ type: 'text_delta', text: `"index":7 ${text}` })),
      space,
    ),
  }));

const callBlock: fc.Arbitrary<Block> = fc.tuple(words, spaces).map(([word, space]) => ({
  isSearch: false,
  records: blockRecords(
    { type: 'tool_use', id: 'toolu_1', name: 'A', input: {} },
    [{ type: 'input_json_delta', partial_json: JSON.stringify({ index: 3, word }) }],
    space,
  ),
}));

const searchBlock: fc.Arbitrary<Block> = fc.tuple(words, spaces).map(([word, space]) => ({
  isSearch: true,
  records: blockRecords(
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: {} },
    [{ type: 'input_json_delta', partial_json: JSON.stringify({ query: word }) }],
    space,
  ),
}));

const resultBlock: fc.Arbitrary<Block> = words.map((word) => ({
  isSearch: true,
  records: blockRecords(
    { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: { tool_references: [], word } },
    [],
    '',
  ),
}));

const between = fc.constantFrom(
  record('ping', '{"type":"ping"}'),
  ': a comment\n\n',
  record('martian_event', '{"index":5}'),
  '\n',
  '',
);

/** A stream, and what the client is to get of it. */
const stream = fc
  .record({
    blocks: fc.array(fc.oneof(textBlock, callBlock, searchBlock, resultBlock), { maxLength: 6 }),
    others: fc.array(between, { minLength: 8, maxLength: 8 }),
    strips: fc.boolean(),
    lineEnd: lineEnds,
  })
  .map(({ blocks, others, strips, lineEnd }) => {
    const start = record('message_start', '{"type":"message_start","message":{"usage":{"input_tokens":1}}}');
    const end = [
      record('message_delta', '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{}}'),
      record('message_stop', '{"type":"message_stop"}'),
    ];
    const came = blocks.flatMap(({ records }, index) => [others[index] ?? '', ...records(index)]);
    let shown = 0;
    const expected = blocks.flatMap(({ records, isSearch }, index) => {
      const isLeftOut = strips && isSearch;
      const kept = isLeftOut ? [] : records(shown);
      if (!isLeftOut) shown += 1;
      return [others[index] ?? '', ...kept];
    });
    const print = (records: readonly string[]): string =>
      [start, ...records, others[7] ?? '', ...end].join('').replaceAll('\n', lineEnd);
    return { strips, came: print(came), expected: print(expected) };
  });

function relayed(bytes: Buffer, cuts: readonly number[], strips: boolean): string {
  const joiner = createStreamJoiner({ strips, reader: createAnswerReader() });
  const records = createRecordReader();
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  let out = '';
  for (const [index, end] of [...ends, bytes.length].entries()) {
    for (const one of records.read(bytes.subarray(ends[index - 1] ?? 0, end))) {
      const step = joiner.take(one);
      out += step.type === 'pause' ? '' : step.bytes;
    }
  }
  return Buffer.from(out + records.rest(), 'latin1').toString('utf8');
}

test('Q2: however a stream is cut, its searches are left out, indexes are consecutive and every other byte is as it came', () => {
  const property = fc.property(stream, fc.array(fc.nat(), { maxLength: 40 }), (streamed, cuts) => {
    const { came, expected, strips } = streamed;
    expect(relayed(Buffer.from(came), cuts, strips)).toBe(expected);
  });
  fc.assert(property, { seed: inject('seed'), numRuns: 2_000 });
});

test('Q2: a stream that comes byte by byte is the same', () => {
  const property = fc.property(stream, ({ came, expected, strips }) => {
    const bytes = Buffer.from(came);
    expect(relayed(bytes, [...bytes.keys()], strips)).toBe(expected);
  });
  fc.assert(property, { seed: inject('seed'), numRuns: 200 });
});

test('Q2: what is no event of the API passes as it came: broken JSON, half an event, no line end', () => {
  const came = 'event: content_block_delta\ndata: {"type":"content_b\n\ndata: {"type":"mess';
  expect(relayed(Buffer.from(came), [], true)).toBe(came);
});

test('Q7: usage passes byte for byte where a turn takes one answer', () => {
  const usage = '{ "output_tokens" : 9.0e0, "input_tokens":1,"note":"\\u00fc" }';
  const came = [
    record('message_start', `{"type":"message_start","message":{"usage":${usage}}}`),
    record('message_delta', `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":${usage}}`),
    record('message_stop', '{"type":"message_stop"}'),
  ].join('');
  expect(relayed(Buffer.from(came), [], true)).toBe(came);
});
