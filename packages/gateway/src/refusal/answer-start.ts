import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeBody } from '../http/encoding.ts';
import { passAnswer } from '../http/forward.ts';

/** An answer that the client has not seen yet, with as much of its body as was read. */
export interface AnswerStart {
  readonly incoming: IncomingMessage;
  readonly bytes: Buffer;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}

/** RF1: so much of a refusal is read. */
const maxBytes = 16 * 1024;
/** A provider that takes longer than this for an error's text has told enough with its status. */
const maxWaitMs = 1_000;
const maxDecodedBytes = 64 * 1024;

/** The statuses by which a provider says that it does not want the request as it is (RF1). */
export function isRefusal({ statusCode }: IncomingMessage): boolean {
  return statusCode === 400 || statusCode === 422;
}

/** Any 2xx. */
export function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Reads the beginning of an answer's body and leaves the rest where it is. Never rejects. */
export function readStart(incoming: IncomingMessage): Promise<AnswerStart> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      incoming.off('data', keep).off('end', finish).off('close', finish).pause();
      resolve({
        incoming,
        bytes: Buffer.concat(chunks),
        isWhole: incoming.complete && incoming.readableEnded,
      });
    };
    const keep = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxBytes) finish();
    };
    const timer = setTimeout(finish, maxWaitMs);
    // A provider that dies here is told by `close`; without a listener its error would end the process.
    incoming.on('error', () => undefined);
    incoming.on('data', keep).once('end', finish).once('close', finish);
  });
}

/** An answer of whose body nothing was read. */
export function unread(incoming: IncomingMessage): AnswerStart {
  return { incoming, bytes: Buffer.alloc(0), isWhole: false };
}

/** Its beginning, with the rest thrown away. */
export async function readAndClose(incoming: IncomingMessage): Promise<AnswerStart> {
  const start = await readStart(incoming);
  if (!start.isWhole) incoming.destroy();
  return start;
}

/** The beginning of an answer as text; empty where it can't be read. */
export async function textOfStart({ incoming, bytes }: AnswerStart): Promise<string> {
  const decoded = await decodeBody(
    bytes.subarray(0, maxBytes),
    incoming.headers['content-encoding'],
    maxDecodedBytes,
  );
  return decoded.type === 'decoded' ? decoded.body.toString('utf8') : '';
}

/** Gives the client an answer that was held back, byte for byte. Resolves when it is through or the client is gone. */
export async function passStart(start: AnswerStart, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const isThrough = once(response, 'close');
  passAnswer(start.incoming, response, start.bytes.length === 0 ? undefined : start.bytes);
  await isThrough;
}
