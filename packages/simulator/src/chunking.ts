import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { refuse } from './api-error.ts';

/**
 * How a stream is cut on its way out: `records` one write an event; `bytes` one write a byte; `split-utf8` writes that
 * end inside a character where there is one; `slow` an event each 10 ms; `one` everything at once.
 */
export type Chunking = 'records' | 'bytes' | 'split-utf8' | 'slow' | 'one';

/** Before the first byte and after each event of a slow stream. */
export const slowMs = 10;
const chunkings: readonly Chunking[] = ['records', 'bytes', 'split-utf8', 'slow', 'one'];

/** The chunking that a request's header `x-simulator-chunking` asks for. */
export function chunkingOf(header: string | readonly string[] | undefined): Chunking {
  if (header === undefined) return 'records';
  const chunking = chunkings.find((name) => name === header);
  if (chunking === undefined)
    throw refuse(`simulator: no chunking "${[header].flat().join(', ')}"; there are ${chunkings.join(', ')}`);
  return chunking;
}

/** Writes the records; returns when all are handed to the socket or the client has gone. */
export async function writeChunks(
  response: ServerResponse,
  records: readonly string[],
  chunking: Chunking,
): Promise<void> {
  for (const chunk of cut(records, chunking)) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
    if (chunking === 'slow') await setTimeout(slowMs);
    else if (chunking !== 'records' && chunking !== 'one') await setImmediate();
  }
}

/** Waits until more can be written, or the client has gone; leaves no listener behind. */
export async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  over.abort();
}

function cut(records: readonly string[], chunking: Chunking): readonly Uint8Array[] {
  const whole = Buffer.from(records.join(''));
  switch (chunking) {
    case 'one':
      return whole.length === 0 ? [] : [whole];
    case 'bytes':
      return Array.from(whole, (_, index) => whole.subarray(index, index + 1));
    case 'split-utf8':
      return splitInsideCharacters(whole);
    default:
      return records.map((text) => Buffer.from(text));
  }
}

/** Cuts after the first byte of every character that has more than one. */
function splitInsideCharacters(bytes: Buffer): readonly Uint8Array[] {
  const cuts = [...bytes.keys()].filter((index) => (bytes[index] ?? 0) >= 0xc0).map((index) => index + 1);
  return [0, ...cuts].map((start, at) => bytes.subarray(start, cuts[at] ?? bytes.length));
}
