import { createSseDecoder, encodeSseEvent } from '@quartermaster/wire';
import type { SseEvent } from '@quartermaster/wire';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { hostileText } from './hostile-json.ts';
import type { Runs } from './outline-properties.ts';

/** Whatever the events, the line ends and the cuts: the same events come out. */
export function checkCuttingChangesNothing(runs: Runs): void {
  const text = fc
    .tuple(hostileText, fc.string({ unit: 'grapheme' }))
    .map((pieces) => pieces.join('').toWellFormed());
  const name = fc.constantFrom('message', 'content_block_delta', 'ü', ' led by space');
  const events = fc.array(fc.record({ event: name, data: text }), { maxLength: 5 });
  const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
  fc.assert(
    fc.property(events, lineEnd, fc.array(fc.nat(300)), (sent, end, cuts) => {
      const stream = sent.map(encodeSseEvent).join(': comment\n').replaceAll('\n', end);
      expect(decodeAll(cutAt(bytesOf(stream), cuts))).toEqual(sent.map(withPlainLineEnds));
    }),
    runs,
  );
}

/** Any bytes decode to the same events in one chunk and in many, read with the platform's own UTF-8. */
export function checkAnyBytesDecodeAlike(runs: Runs): void {
  const byte = fc.oneof(
    fc.constantFrom(...bytesOf('data:event \n\r')),
    fc.constantFrom(0xef, 0xbb, 0xbf, 0xf0, 0x9f, 0x9a, 0x80, 0xc3, 0xed, 0xff),
  );
  const piece = fc.oneof(
    fc.constantFrom('data: ', 'event: ', '\n\n', '\r\n', '\r').map((text) => [...bytesOf(text)]),
    fc.array(byte, { maxLength: 6 }),
  );
  const stream = fc.array(piece, { maxLength: 20 }).map((pieces) => Uint8Array.from(pieces.flat()));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(120)), (bytes, cuts) => {
      const expected = decodeWhole(new TextDecoder().decode(bytes));
      expect(decodeAll(cutAt(bytes, cuts))).toEqual(expected);
    }),
    runs,
  );
}

/** The standard's algorithm on a text that is there as a whole. */
function decodeWhole(text: string): readonly SseEvent[] {
  const lines = text.split(/\r\n|\r|\n/).slice(0, -1);
  const events: SseEvent[] = [];
  let event = '';
  let data = '';
  for (const line of lines) {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line === '') {
      if (data !== '') events.push({ event: event || 'message', data: data.slice(0, -1) });
      event = data = '';
    } else if (field === 'data') data += `${value}\n`;
    else if (field === 'event') event = value;
  }
  return events;
}

export function decodeAll(chunks: readonly Uint8Array[]): readonly SseEvent[] {
  const decoder = createSseDecoder();
  const events = chunks.flatMap((chunk) => decoder.decode(chunk));
  decoder.end();
  return events;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The bytes in chunks that begin at `places`; some may be empty. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const bounds = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, index) => bytes.slice(bounds[index], end));
}

function withPlainLineEnds({ event, data }: SseEvent): SseEvent {
  return { event, data: data.replaceAll(/\r\n|\r/g, '\n') };
}
