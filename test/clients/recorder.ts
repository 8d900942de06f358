import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** Stands between a client and the gateway and keeps what the client sent, byte for byte. */
export interface Recorder extends AsyncDisposable {
  readonly url: string;
  /** Bodies of `POST …/v1/messages`, in the order they came. */
  readonly bodies: readonly string[];
  /** The headers of the same requests. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Sends what comes from now on to another place. */
  retarget(target: string): void;
}

export async function startRecorder(target: string): Promise<Recorder> {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let current = target;
  const server = createServer((incoming, outgoing) => {
    const keep = (body: Buffer): void => {
      bodies.push(body.toString('latin1'));
      headers.push(incoming.headers);
    };
    pass(incoming, outgoing, { target: current, keep }).catch((cause: unknown) => {
      outgoing.destroy(cause instanceof Error ? cause : undefined);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The recorder has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    bodies,
    headers,
    retarget(next) {
      current = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, keep }: { readonly target: string; readonly keep: (body: Buffer) => void },
): Promise<void> {
  const body = await buffer(incoming);
  const path = incoming.url ?? '/';
  if (new URL(path, target).pathname.endsWith('/v1/messages')) keep(body);
  const forwarded = request(target + path, {
    method: incoming.method,
    headers: incoming.headers,
    // A connection kept open would outlive the gateway that a test kills.
    agent: false,
  });
  forwarded.end(body);
  const [answer]: IncomingMessage[] = await once(forwarded, 'response');
  if (answer === undefined) throw new Error('The gateway gave no answer.');
  outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  await pipeline(answer, outgoing);
}
