import http from 'node:http';
import https from 'node:https';
import type { RawHeaders } from './headers.ts';

/** A provider's base URL with the connections that are kept open to it. */
export interface Upstream {
  /** Host and port as the `Host` header names them. */
  readonly host: string;
  /** For people and logs: without user info. */
  readonly name: string;
  /** Starts a request; the caller sends its body and owns its end. `path` begins with a slash. */
  open(request: {
    readonly method: string;
    readonly path: string;
    readonly headers: RawHeaders;
  }): http.ClientRequest;
  /** Closes the idle connections. */
  close(): void;
}

/** How long a connection may take to stand. Headers may take as long as the provider thinks (no hidden limit). */
const connectTimeoutMs = 10_000;
/** Below the idle limits of the providers' edges, so that a request is never written to a socket just given up. */
const idleSocketMs = 30_000;

/** Opens no connection before the first request. `base` may end in `/v1`, which the paths of requests repeat. */
export function createUpstream(base: URL): Upstream {
  const isSecure = base.protocol === 'https:';
  const agentOptions = { keepAlive: true, scheduling: 'lifo', timeout: idleSocketMs } as const;
  const agent = isSecure ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
  const prefix = base.pathname.replace(/\/(v1\/?)?$/, '');
  return {
    host: base.host,
    name: `${base.protocol}//${base.host}${prefix}`,
    open({ method, path, headers }) {
      const client = isSecure ? https : http;
      const options = {
        agent,
        protocol: base.protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port === '' ? (isSecure ? 443 : 80) : Number(base.port),
        method,
        path: prefix + path,
        headers: [...headers],
      };
      const request = client.request(options);
      limitConnectTime(request, isSecure);
      return request;
    },
    close: () => agent.destroy(),
  };
}

/** Raised when a connection to the provider does not stand in time. */
export class ConnectTimeoutError extends Error {
  constructor() {
    super(`no connection within ${connectTimeoutMs} ms`);
    this.name = 'ConnectTimeoutError';
  }
}

function limitConnectTime(request: http.ClientRequest, isSecure: boolean): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    socket.setTimeout(connectTimeoutMs, () => {
      if (socket.connecting) request.destroy(new ConnectTimeoutError());
    });
    socket.once(isSecure ? 'secureConnect' : 'connect', () => socket.setTimeout(0));
  });
}
