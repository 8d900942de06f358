import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { backoffMs } from '../../src/toolsets/mcp/backoff.ts';
import { boundFetch } from '../../src/toolsets/mcp/bounded-fetch.ts';
import { createLineReader } from '../../src/toolsets/mcp/line-reader.ts';

test('lines are the same, however the stream is cut into pieces', () => {
  const lines = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ' ')));
  const cuts = fc.array(fc.nat(40));
  fc.assert(
    fc.property(lines, cuts, (written, sizes) => {
      const read: string[] = [];
      const reader = createLineReader(1_000_000, (line) => read.push(line));
      let rest = Buffer.from(written.map((line) => `${line}\n`).join(''));
      for (const size of sizes) {
        reader.push(rest.subarray(0, size));
        rest = rest.subarray(size);
      }
      reader.push(rest);
      expect(read).toEqual(written);
    }),
    { seed: inject('seed') },
  );
});

test('a line over the limit is refused, in one piece and in many', () => {
  const reader = createLineReader(10, () => undefined);
  expect(() => reader.push(Buffer.from('12345678901\n'))).toThrow(RangeError);
  const slow = createLineReader(10, () => undefined);
  slow.push(Buffer.from('1234567890'));
  expect(() => slow.push(Buffer.from('1'))).toThrow(RangeError);
});

const event = (megabytes: number): string => `data: ${'x'.repeat(megabytes * 1_000_000)}\n\n`;

/** Bytes of an answer that came through. */
async function read(chunks: readonly string[], type: string): Promise<number> {
  const body = ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
  const fetch = boundFetch(async () => new Response(body, { headers: { 'content-type': type } }));
  return (await (await fetch('http://x')).arrayBuffer()).byteLength;
}

test('a stream of events may be long, and each event is bounded', async () => {
  const events = [event(9), event(9)];
  expect(await read(events, 'text/event-stream')).toBe(events.join('').length);
  await expect(
    read(['data: ', ...Array(17).fill('x'.repeat(1_000_000))], 'text/event-stream'),
  ).rejects.toThrow('up to 16000000 bytes');
  await expect(read(events, 'application/json')).rejects.toThrow('up to 16000000 bytes');
});

test('waits double up to 32 s, and the second half of each is left to chance', () => {
  const waits = [1, 2, 6, 60].map((restart) => [backoffMs(restart, () => 0), backoffMs(restart, () => 1)]);
  expect(waits).toEqual([
    [500, 1_000],
    [1_000, 2_000],
    [16_000, 32_000],
    [16_000, 32_000],
  ]);
});
