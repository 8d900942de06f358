import { describe, expect, test } from 'vitest';
import { joinMessages, readMessage, type WholeMessage } from '../src/relay/message-joiner.ts';

const search =
  '{"type":"server_tool_use", "id":"srvtoolu_1","name":"tool_search_tool_bm25","input":{"query":"ü"}}';
const found =
  '{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"tool_references":[]}}';
const text = '{ "type" : "text", "text" : "\\u00fc ü" }';

function read(json: string): WholeMessage {
  const message = readMessage(Buffer.from(json).toString('latin1'));
  if (message === undefined) throw new Error('expected a message');
  return message;
}

function joined(answers: readonly string[], strips: boolean): string {
  return Buffer.from(joinMessages(answers.map(read), strips), 'latin1').toString('utf8');
}

describe('Q2: an answer that came whole', () => {
  test.each([
    ['only searches', `[ ${search} ,\n${found} ]`, '[ \n ]'],
    ['first', `[${search},${found} , ${text}]`, `[  ${text}]`],
    ['last', `[${text} ,${search},${found}\n]`, `[${text}\n]`],
    ['in between', `[${text},${search},${found}, ${text} ]`, `[${text}, ${text} ]`],
  ])('Q2: loses its searches and no other byte: %s', (_, came, shown) => {
    const around = (content: string): string =>
      ` {"type": "message",\n "usage" : {"input_tokens" : 1.0},"content" : ${content},"x":[1, 2 ]} `;
    const withoutSpace = (json: string): string => json.replaceAll(/\s+/g, '');
    expect(withoutSpace(joined([around(came)], true))).toBe(withoutSpace(around(shown)));
    expect(joined([around(came)], false)).toBe(around(came));
  });

  test('Q4: is the last answer with the blocks of those before it, and the sum of their usage', () => {
    const first = `{"type":"message","id":"msg_1","content":[${text},${search}],"stop_reason":"pause_turn","usage":{"input_tokens":3,"output_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":2},"service_tier":"standard"}}`;
    const second = `{"type":"message","id":"msg_2","content":[${found},${text}],"stop_reason":"end_turn","usage":{"input_tokens":4,"output_tokens":2,"cache_creation":{"ephemeral_5m_input_tokens":5},"service_tier":"standard","iterations":[{"type":"message","input_tokens":4,"output_tokens":1},{"type":"message","input_tokens":0,"output_tokens":1}]}}`;
    const usage = {
      input_tokens: 7,
      output_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 7 },
      service_tier: 'standard',
      iterations: [
        { type: 'message', input_tokens: 3, output_tokens: 1 },
        { type: 'message', input_tokens: 4, output_tokens: 1 },
        { type: 'message', input_tokens: 0, output_tokens: 1 },
      ],
    };
    const start = '{"type":"message","id":"msg_2","content":';
    const end = `,"stop_reason":"end_turn","usage":${JSON.stringify(usage)}}`;
    expect(joined([first, second], false)).toBe(`${start}[${text},${search},${found},${text}]${end}`);
    expect(joined([first, second], true)).toBe(`${start}[${text},${text}]${end}`);
  });

  test.each(['', '{', '[]', 'null', '{"type":"error"}', '{"type":"message","content":"x"}'])(
    'law 7: %j is no message, and passes as it came',
    (json) => {
      expect(readMessage(json)).toBeUndefined();
    },
  );
});
