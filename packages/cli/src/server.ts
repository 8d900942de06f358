import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from './errors.ts';
import type { Gateway } from '@quartermaster/gateway';

/** What a server does with what comes in. */
export interface Listeners {
  readonly listener: RequestListener;
  readonly checkContinue?: RequestListener;
  readonly upgrade?: Gateway['upgrade'];
}

/** A server that listens. */
export interface RunningServer {
  /** `http://127.0.0.1:4000`; where it listens on every address, with a loopback one that clients can use. */
  readonly url: string;
  readonly port: number;
  /** Takes no new connection, lets what is under way end for at most `withinMs`, then cuts it. Answers how many were cut. */
  drain(withinMs: number): Promise<number>;
}

/** No headers within this: the connection ends. Bodies and answers may take as long as they take (case 65). */
const headersTimeoutMs = 60_000;
/** Longer than clients keep idle connections, so that none is closed under a request (case 61). */
const keepAliveTimeoutMs = 75_000;

/** Opens the port. Raises `CLI_LISTEN_FAILED` with what to do instead. */
export async function startServer(
  listeners: Listeners,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  const server = http.createServer({
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: 0,
    maxHeaderSize: 65_536,
  });
  const running = countRunning(server);
  const { listener, checkContinue, upgrade } = listeners;
  server.on('request', listener);
  if (checkContinue !== undefined) server.on('checkContinue', checkContinue);
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  const address = await listen(server, { host, port });
  return {
    url: urlOf(host, address.port),
    port: address.port,
    drain: (withinMs) => drain(server, withinMs, running),
  };
}

function countRunning(server: http.Server): () => number {
  let count = 0;
  const begin: RequestListener = (_, response) => {
    count += 1;
    response.once('close', () => {
      count -= 1;
      // Its connection would stay open, idle, for as long as the client likes.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  };
  server.on('request', begin).on('checkContinue', begin);
  return () => count;
}

function listen(
  server: http.Server,
  address: { readonly host: string; readonly port: number },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(explainListenError(cause, address)));
    server.listen(address, () => resolve(server.address() as AddressInfo));
  });
}

function explainListenError(
  cause: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): CliError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} on ${host} is in use by another program; choose one with --port, or --port 0`,
    EACCES: `port ${port} on ${host} is not open to this user; choose one above 1023 with --port, or --port 0`,
    EADDRNOTAVAIL: `${host} is no address of this machine; choose one with --host, such as 127.0.0.1`,
    ENOTFOUND: `${host} is no address of this machine; choose one with --host, such as 127.0.0.1`,
  };
  const reason = reasons[cause.code ?? ''] ?? `can't listen on port ${port} of ${host}: ${cause.message}`;
  return new CliError('CLI_LISTEN_FAILED', reason, { cause });
}

function drain(server: http.Server, withinMs: number, running: () => number): Promise<number> {
  return new Promise((resolve) => {
    let cut = 0;
    const deadline = setTimeout(() => {
      cut = running();
      server.closeAllConnections();
    }, withinMs);
    server.close(() => {
      clearTimeout(deadline);
      resolve(cut);
    });
  });
}

function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
