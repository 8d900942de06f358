import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import { tooLarge } from './body.ts';
import { type RawHeaders, requestHeadersFor, responseHeadersFrom } from './headers.ts';
import { ConnectTimeoutError, type Upstream } from './upstream.ts';

/** What goes upstream. A `body` of `stream` is the client's own, unread so far and bounded by `maxBytes`. */
export interface Forwarding {
  readonly upstream: Upstream;
  readonly path: string;
  readonly rawHeaders: RawHeaders;
  readonly body: Buffer | { readonly type: 'stream'; readonly maxBytes: number };
  /** Told of the answer once it goes to the client, to listen to it; must not throw. */
  readonly onAnswer?: ((incoming: IncomingMessage) => void) | undefined;
  /** Asked when the head of the answer is there: `true` keeps the answer from the client. Must not throw. */
  readonly isHeld?: (incoming: IncomingMessage) => boolean;
}

/**
 * Sends the request to the provider and the answer back, neither of them buffered.
 * Resolves when the answer is through or the client is gone, or at once with an answer that is held: its body is
 * unread, and the caller's to read or destroy. Rejects with a `GatewayError` only while the provider has not answered;
 * afterwards a provider that dies ends the client's stream as it died (FA3).
 */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { upstream, path, rawHeaders, body, onAnswer, isHeld }: Forwarding,
): Promise<IncomingMessage | undefined> {
  // FA1: who left while the request was planned waits for no answer.
  if (response.destroyed) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const outgoing = upstream.open({
      method: request.method ?? 'GET',
      path,
      headers: requestHeadersFor(upstream.host, rawHeaders),
    });
    // FA1: also before the first byte. After a complete answer there is nothing left to cancel.
    response.once('close', () => {
      if (!response.writableFinished) outgoing.destroy();
      resolve(undefined);
    });
    let held: IncomingMessage | undefined;
    let isPassed = false;
    outgoing.once('response', (incoming) => {
      if (isHeld?.(incoming) === true) {
        resolve((held = incoming));
        return;
      }
      isPassed = true;
      passAnswer(incoming, response);
      onAnswer?.(incoming);
    });
    outgoing.once('error', (cause) => {
      // By then another answer may be on its way to the client.
      if (held !== undefined) return;
      if (isPassed || response.destroyed) response.destroy();
      else reject(unreachable(upstream, cause));
    });
    if (Buffer.isBuffer(body)) outgoing.end(body);
    else streamBody(request, outgoing, body.maxBytes, reject);
  });
}

/** Sends an answer on. `start` is what was read of its body already. */
export function passAnswer(incoming: IncomingMessage, response: ServerResponse, start?: Buffer): void {
  response.sendDate = false;
  response.writeHead(
    incoming.statusCode ?? 502,
    incoming.statusMessage,
    responseHeadersFrom(incoming.rawHeaders),
  );
  if (start !== undefined) response.write(start);
  if (incoming.destroyed && !incoming.complete) {
    response.destroy();
    return;
  }
  // The status is news to the client even when the first byte of the body takes a while; where that is here already,
  // both leave in one write.
  const lateBody = setImmediate(() => response.flushHeaders());
  incoming.once('data', () => clearImmediate(lateBody));
  incoming.once('error', () => response.destroy());
  incoming.once('aborted', () => response.destroy());
  incoming.pipe(response);
}

function streamBody(
  request: IncomingMessage,
  outgoing: ClientRequest,
  maxBytes: number,
  reject: (error: GatewayError) => void,
): void {
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= maxBytes) return;
    request.unpipe(outgoing);
    outgoing.destroy();
    reject(tooLarge(maxBytes, `more than ${maxBytes} bytes`));
  });
  request.once('aborted', () => outgoing.destroy());
  request.pipe(outgoing);
}

function unreachable(upstream: Upstream, cause: Error): GatewayError {
  if (cause instanceof ConnectTimeoutError) {
    return new GatewayError('GATEWAY_UPSTREAM_TIMEOUT', `${upstream.name} gave ${cause.message}.`, { cause });
  }
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  return new GatewayError(
    'GATEWAY_UPSTREAM_UNREACHABLE',
    `expected an answer from ${upstream.name}, got ${code}; check the upstream's address and your network.`,
    { cause },
  );
}
