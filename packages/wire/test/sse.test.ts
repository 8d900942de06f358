import { createSseDecoder, encodeSseEvent } from '@quartermaster/wire';
import type { SseEvent } from '@quartermaster/wire';
import { describe, expect, test } from 'vitest';
import { bytesOf, cutAt, decodeAll } from './sse-properties.ts';

describe('a stream decodes as the HTML standard says', () => {
  test.each<[name: string, stream: string, events: readonly SseEvent[]]>([
    ['an event without a name is a message', 'data: x\n\n', [message('x')]],
    ['several data lines are joined by LF', 'data: a\ndata:b\ndata:  c\n\n', [message('a\nb\n c')]],
    [
      'a name holds for one event',
      'event: a\ndata: 1\n\ndata: 2\n\n',
      [{ event: 'a', data: '1' }, message('2')],
    ],
    ['the last name counts', 'event: a\nevent: b\ndata: 1\n\n', [{ event: 'b', data: '1' }]],
    ['an event without data is none', 'event: a\n\nid: 7\n\ndata: x\n\n', [message('x')]],
    ['data without a colon is empty data', 'data\n\ndata\ndata\n\n', [message(''), message('\n')]],
    ['empty data is data', 'data:\n\n', [message('')]],
    [
      'comments and unknown fields are ignored',
      ': ping\n\nretry: 5\nfoo: x\n:\ndata: x\n: y\n\n',
      [message('x')],
    ],
    ['fields are spelled exactly', 'Data: x\n data: x\ndata : x\n\n', []],
    ['a colon may stand in data', 'data: a: b\n\n', [message('a: b')]],
    ['a byte order mark may lead the stream', '\ufeffdata: x\n\n', [message('x')]],
    ['and only the stream', 'data: \ufeffx\n\n\ufeffdata: y\n\n', [message('\ufeffx')]],
    ['what no blank line ends is dropped', 'data: x\n\ndata: y\n', [message('x')]],
    ['line ends may be mixed', 'data: a\rdata: b\r\ndata: c\n\r', [message('a\nb\nc')]],
    ['blank lines in a row are one', 'data: a\r\n\r\n\r\n\n\rdata: b\n\n', [message('a'), message('b')]],
  ])('%s', (_name, stream, events) => {
    const bytes = bytesOf(stream);
    expect(decodeAll([bytes])).toEqual(events);
    expect(decodeAll(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(events);
  });
});

test('case 51: a CRLF cut in two ends one line', () => {
  const bytes = bytesOf('data: {"a":\r\ndata: 1}\r\n\r\n');
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1) {
      expect(decodeAll(cutAt(bytes, [first, second]))).toEqual([message('{"a":\n1}')]);
    }
  }
});

test('case 53: a character cut in two or three is whole', () => {
  const bytes = bytesOf('data: {"t":"ü中🚀"}\n\n');
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1) {
      expect(decodeAll(cutAt(bytes, [first, second]))).toEqual([message('{"t":"ü中🚀"}')]);
    }
  }
});

test('case 53: bad bytes become U+FFFD as in the platform’s decoder, and end nothing', () => {
  const broken = [
    [0x80],
    [0xc3],
    [0xc0, 0x80],
    [0xe2, 0x82],
    [0xe0, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x9f, 0x9a],
    [0xf0, 0x80, 0x80, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80],
    [0xff],
    [0xe4, 0xb8, 0xad, 0xe4, 0xb8],
    [0xc3, 0x41],
  ];
  for (const bytes of broken) {
    const stream = Uint8Array.from([...bytesOf('data: <'), ...bytes, ...bytesOf('>\n\ndata: next\n\n')]);
    const expected = new TextDecoder().decode(Uint8Array.from([0x3c, ...bytes, 0x3e]));
    expect(decodeAll([stream])).toEqual([message(expected), message('next')]);
  }
});

test('case 55: foreign terminators and unknown events pass as events', () => {
  const stream = 'event: x_debug\ndata: {}\n\nevent: message_stop\ndata: {}\n\nevent: done\ndata: [DONE]\n\n';
  expect(decodeAll([bytesOf(stream)])).toEqual([
    { event: 'x_debug', data: '{}' },
    { event: 'message_stop', data: '{}' },
    { event: 'done', data: '[DONE]' },
  ]);
});

test('case 59: the end drops what is half-read, and a new stream begins', () => {
  const decoder = createSseDecoder();
  expect(decoder.decode(bytesOf('event: a\ndata: {"type":"content_bl'))).toEqual([]);
  decoder.end();
  decoder.end();
  expect(decoder.decode(bytesOf('\ufeffdata: x\n\n'))).toEqual([message('x')]);
  decoder.decode(bytesOf('data: y\r'));
  decoder.end();
  expect(decoder.decode(bytesOf('\ndata: z\n\n'))).toEqual([message('z')]);
});

describe('an event over the bound is dropped and counted', () => {
  const bound = 'data: 12345678'.length;

  test.each([
    ['in one line', 'data: 123456789\n\n', 1],
    ['in several', 'data: 1234\ndata: 5678\n\n', 1],
    ['by its name', 'event: 1234567890\ndata: x\n\n', 1],
    ['once for one event', 'data: 123456789\ndata: 123456789\nevent: x\n\n', 1],
    ['each one', 'data: 123456789\n\ndata: 123456789\n\n', 2],
    ['but not one that fits', 'data: 12345678\n\n', 0],
    ['nor for what is ignored', ': 1234567\n: 1234567\nid: 12345\n\n', 0],
  ])('%s', (_name, stream, dropped) => {
    for (const chunks of [[bytesOf(stream)], Array.from(bytesOf(stream), (byte) => Uint8Array.of(byte))]) {
      const decoder = createSseDecoder({ maxEventBytes: bound });
      const events = chunks.flatMap((chunk) => decoder.decode(chunk));
      expect(events).toHaveLength(dropped === 0 && stream.startsWith('data') ? 1 : 0);
      expect(decoder.dropped).toBe(dropped);
      expect(decoder.decode(bytesOf('data: next\n\n'))).toEqual([message('next')]);
    }
  });

  test('16 MiB are the default', () => {
    const decoder = createSseDecoder();
    const event = new Uint8Array(16 * 1024 * 1024).fill(0x61);
    event.set(bytesOf('data:'));
    expect(decoder.decode(event)).toEqual([]);
    expect(decoder.decode(bytesOf('\n\n'))[0]?.data).toHaveLength(event.length - 'data:'.length);
    decoder.decode(event);
    decoder.decode(bytesOf('a'));
    expect(decoder.decode(bytesOf('\n\n'))).toEqual([]);
    expect(decoder.dropped).toBe(1);
  });
});

test('a decoder keeps no hold of the chunks that it was given', () => {
  const decoder = createSseDecoder();
  const chunk = bytesOf('data: ab');
  decoder.decode(chunk);
  chunk.fill(0x78);
  expect(decoder.decode(bytesOf('\n\n'))).toEqual([message('ab')]);
});

describe('encoding', () => {
  test('an event is its name, a line for each line of data, and a blank line', () => {
    expect(encodeSseEvent({ event: 'ping', data: '{}' })).toBe('event: ping\ndata: {}\n\n');
    expect(encodeSseEvent({ event: 'message', data: 'a\nb' })).toBe('data: a\ndata: b\n\n');
    expect(encodeSseEvent({ event: 'x', data: 'a\r\nb\rc' })).toBe('event: x\ndata: a\ndata: b\ndata: c\n\n');
  });

  test('a name that would end its line is refused', () => {
    for (const event of ['a\n', 'a\rdata: x']) {
      expect(() => encodeSseEvent({ event, data: '' })).toThrow(
        expect.objectContaining({ code: 'WIRE_EVENT_NAME' }),
      );
    }
  });
});

function message(data: string): SseEvent {
  return { event: 'message', data };
}
