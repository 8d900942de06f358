import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** Stands between a client and the gateway and keeps what the client sent, byte for byte. */
export interface Recorder extends AsyncDisposable {
  readonly url: string;
  /** Bodies of `POST …/v1/messages`, in the order they came. */
  readonly bodies: readonly string[];
  /** Sends what comes from now on to another place. */
  retarget(target: string): void;
}

export async function startRecorder(target: string): Promise<Recorder> {
  const bodies: string[] = [];
  let current = target;
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing, current, bodies).catch((cause: unknown) => {
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
  target: string,
  bodies: string[],
): Promise<void> {
  const body = await buffer(incoming);
  const path = incoming.url ?? '/';
  if (new URL(path, target).pathname.endsWith('/v1/messages')) bodies.push(body.toString('latin1'));
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
