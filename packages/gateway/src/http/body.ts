import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.ts';

/** Reads a whole body of at most `maxBytes`. Rejects with `GATEWAY_BODY_TOO_LARGE` as soon as that is certain. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  requireLength(request, maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  // Events and not `for await`, which costs a promise and several turns of the queue for each chunk.
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      request.pause();
      reject(tooLarge(maxBytes, `more than ${maxBytes} bytes`));
    });
    request.once('end', resolve);
    request.once('error', reject);
  });
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
}

/** Refuses by the declared length, before any of the body is read. */
export function requireLength(request: IncomingMessage, maxBytes: number): void {
  if (isTooLong(request, maxBytes)) throw tooLarge(maxBytes, `${declaredLength(request)} bytes`);
}

/** Whether the length that a request declares is over the limit. */
export function isTooLong(request: IncomingMessage, maxBytes: number): boolean {
  return declaredLength(request) > maxBytes;
}

function declaredLength(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

/** `came`: what came, in words. */
export function tooLarge(maxBytes: number, came: string): GatewayError {
  return new GatewayError(
    'GATEWAY_BODY_TOO_LARGE',
    `expected a body of at most ${maxBytes} bytes, got ${came}; shorten the conversation or raise limits.bodyBytes.`,
  );
}
