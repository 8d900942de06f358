import http from 'node:http';
import process from 'node:process';
import { announce } from './announce.ts';

/** The least that a proxy on Node can do: two pipes and a keep-alive agent. Argument: the upstream's port. */
const port = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true, scheduling: 'lifo' });

const server = http.createServer((request, response) => {
  const outgoing = http.request({
    agent,
    host: '127.0.0.1',
    port,
    method: request.method,
    path: request.url,
    headers: request.headers,
  });
  outgoing.on('response', (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    incoming.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  request.pipe(outgoing);
});

announce(server);
process.once('SIGTERM', () => process.exit());
