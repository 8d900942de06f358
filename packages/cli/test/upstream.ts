import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';

/** A provider of the test's own, on a free port. */
export interface TestUpstream extends AsyncDisposable {
  readonly url: string;
  /** The next request that comes in, and its answer, which the test writes. */
  next(): Promise<{ readonly request: IncomingMessage; readonly response: ServerResponse }>;
}

export async function startUpstream(): Promise<TestUpstream> {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    async next() {
      const [request, response] = await once(server, 'request');
      return { request, response };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
