import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { drained, slowMs, writeChunks } from './chunking.ts';
import type { Chunking } from './chunking.ts';
import { faultBody } from './faults.ts';
import type { Fault } from './faults.ts';
import type { JsonObject } from './json.ts';
import type { Reply } from './reply.ts';
import { streamOf } from './stream-events.ts';

/** Answers with JSON; the status and headers are the caller's. */
export function sendJson(
  response: ServerResponse,
  body: JsonObject,
  { status, headers = {} }: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly fault: Fault | undefined;
  /** Called just before the first byte of a good answer leaves (rule 10). */
  readonly onFirstByte: () => void;
}

/** Answers with the whole message. `drop` breaks off in its middle, `empty` sends nothing of it. */
export async function sendMessage(
  response: ServerResponse,
  reply: Reply,
  options: SendOptions,
): Promise<void> {
  options.onFirstByte();
  const text = JSON.stringify(reply.message);
  const kind = options.fault?.kind;
  const shown = kind === 'empty' ? '' : text;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(shown),
    ...options.headers,
  });
  if (kind !== 'drop') {
    response.end(shown);
    return;
  }
  response.write(shown.slice(0, shown.length / 2));
  await breakOff(response);
}

/** Answers with a stream of events. */
export async function sendStream(
  response: ServerResponse,
  reply: Reply,
  options: SendOptions & { readonly chunking: Chunking },
): Promise<void> {
  const { records, ending } = streamOf(reply, options.fault);
  if (options.chunking === 'slow') await setTimeout(slowMs);
  options.onFirstByte();
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...options.headers,
  });
  response.flushHeaders();
  await writeChunks(response, records, options.chunking);
  if (ending === 'destroy') await breakOff(response);
  else response.end();
}

/** A fault that comes instead of an answer. */
export async function sendFault(response: ServerResponse, fault: Fault, requestId: string): Promise<void> {
  switch (fault.kind) {
    case 'status':
      sendStatus(response, fault, requestId);
      return;
    case 'html':
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html><body>502 Bad Gateway</body></html>');
      return;
    case 'hang':
      await waitOrClose(response, fault.delayMs);
      response.destroy();
      return;
    default:
      response.socket?.resetAndDestroy();
  }
}

function sendStatus(response: ServerResponse, fault: Fault, requestId: string): void {
  const text = faultBody(fault, requestId);
  response.writeHead(fault.status, {
    'content-type': text.startsWith('<') ? 'text/html' : 'application/json',
    'content-length': Buffer.byteLength(text),
    'request-id': requestId,
    ...fault.headers,
  });
  response.end(text);
}

/** Closes the connection without ending the message, once what was written is out. */
async function breakOff(response: ServerResponse): Promise<void> {
  if (response.writableNeedDrain) await drained(response);
  await setImmediate();
  response.destroy();
}

async function waitOrClose(response: ServerResponse, ms: number): Promise<void> {
  const over = new AbortController();
  response.once('close', () => over.abort());
  await setTimeout(ms, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
}
