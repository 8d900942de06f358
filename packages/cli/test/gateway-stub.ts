import { once } from 'node:events';
import http from 'node:http';

/** A server that answers like a gateway as far as `qm preset` asks, with a probe route of the test's choice. */
export interface GatewayStub extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Method, path and body of each request, in order. */
  readonly requests: readonly string[];
}

/** `probe`: the status of `POST /tool-defer/probe`; `silent`: it is never answered. */
export async function startGatewayStub(probe: number | 'silent'): Promise<GatewayStub> {
  const requests: string[] = [];
  const account = { preset: 'ultrahigh', toolfilter: { remove: [], keep: [] }, is_durable: true };
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${body}`);
      if (request.url !== '/tool-defer/probe') response.end(JSON.stringify(account));
      else if (probe !== 'silent') response.writeHead(probe).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
