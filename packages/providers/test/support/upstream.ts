import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server on a socket of its own. */
export interface Upstream extends AsyncDisposable {
  readonly url: URL;
  /** Connections that are open now. */
  open(): number;
  /** Resolves when none is open any more. */
  closed(): Promise<void>;
  readonly seen: string[];
}

export async function listen(listener: RequestListener): Promise<Upstream> {
  const sockets = new Set<Socket>();
  const seen: string[] = [];
  let onClosed = (): void => {};
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    listener(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) onClosed();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    open: () => sockets.size,
    closed: () =>
      new Promise((resolve, reject) => {
        // Sooner than any idle connection is given up by itself.
        const timer = setTimeout(
          () => reject(new Error(`${sockets.size} connections are still open`)),
          2_000,
        );
        onClosed = () => {
          clearTimeout(timer);
          resolve();
        };
        if (sockets.size === 0) onClosed();
      }),
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
