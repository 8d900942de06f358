import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { drained, slowMs, writeChunks } from './chunking.ts';
import type { Chunking } from './chunking.ts';
import { faultBody } from './faults.ts';
import type { Fault } from './faults.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './model-api.ts';

interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly fault: Fault | undefined;
}

/** Answers with the whole body. `drop` breaks off in its middle, `empty` sends nothing of it. */
export async function sendWhole(response: ServerResponse, reply: Reply, options: SendOptions): Promise<void> {
  reply.onFirstByte();
  const text = JSON.stringify(reply.body);
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
  options: Pick<SendOptions, 'headers'> & { readonly chunking: Chunking },
): Promise<void> {
  const { contentType, records, ending, pauseMs } = reply.stream();
  if (options.chunking === 'slow') await setTimeout(slowMs);
  reply.onFirstByte();
  response.writeHead(200, {
    'content-type': contentType,
    'cache-control': 'no-cache',
    ...options.headers,
  });
  response.flushHeaders();
  await writeChunks(response, records, options.chunking);
  if (pauseMs > 0) await waitOrClose(response, pauseMs);
  if (ending === 'destroy') await breakOff(response);
  else response.end();
}

/** A fault that comes instead of an answer. */
export async function sendFault(exchange: Exchange, fault: Fault): Promise<void> {
  const { response } = exchange;
  switch (fault.kind) {
    case 'status':
      sendStatus(exchange, fault);
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

function sendStatus({ response, vendor, requestId }: Exchange, fault: Fault): void {
  const text = faultBody(fault, vendor, requestId);
  response.writeHead(fault.status, {
    'content-type': text.startsWith('<') ? 'text/html' : 'application/json',
    'content-length': Buffer.byteLength(text),
    [vendor.requestIdHeader]: requestId,
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
