import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free port of 127.0.0.1 that ends with the test. */
export interface RunningServer extends AsyncDisposable {
  readonly url: URL;
  readonly server: http.Server;
}

export async function startServer(listener: http.RequestListener): Promise<RunningServer> {
  const server = http.createServer(listener);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
