import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { addTools } from './server-tools.ts';

/** A server on a socket of its own. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Lets go of the port, and of all who are connected. */
  close(): Promise<void>;
}

/** Listens on a free port, or on the one that is given. */
export async function listen(listener: RequestListener, port = 0): Promise<HttpServer> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: taken } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${taken}/mcp`, port: taken, close, [Symbol.asyncDispose]: close };
}

/** Of both eras; `show` brings another tool, and those who listen are told. */
export function createNewHandler(): { readonly listener: RequestListener; show(name: string): void } {
  const shown: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: 'new', version: '1' },
      { capabilities: { tools: { listChanged: true } } },
    );
    for (const name of shown) server.registerTool(name, {}, () => ({ content: [] }));
    return addTools(server);
  });
  return {
    listener: toNodeHandler(handler) as RequestListener, // its own type says less of optional fields
    show(name) {
      shown.push(name);
      handler.notify.toolsChanged();
    },
  };
}

/** Of the older era, with a session for each client; with `onHang` it has a tool `hang` that never ends. */
export function createOldHandler(onHang?: () => void): RequestListener {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return toListener(async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return await known.handleRequest(request, response);
    if (request.headers['mcp-session-id'] !== undefined) return void response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createOldServer(onHang).connect(transport);
    await transport.handleRequest(request, response);
  });
}

/** Of the oldest form: a stream to read from, and another address to write to. */
export function createOldestHandler(): RequestListener {
  const sessions = new Map<string, SSEServerTransport>();
  return toListener(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET' && url.pathname === '/mcp') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      return await createOldServer().connect(transport);
    }
    const transport = sessions.get(url.searchParams.get('sessionId') ?? '');
    if (url.pathname === '/messages' && transport)
      return await transport.handlePostMessage(request, response);
    response.writeHead(405).end();
  });
}

function toListener(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  return (request, response) => void serve(request, response);
}

function createOldServer(onHang?: () => void): OldServer {
  const server = new OldServer({ name: 'old', version: '1' });
  const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, (input) => text(input.text));
  if (onHang !== undefined) {
    server.registerTool('hang', {}, () => {
      onHang();
      return new Promise(() => undefined);
    });
  }
  server.registerTool('grow', {}, () => {
    server.registerTool('grown', {}, () => text('grown'));
    return text('done');
  });
  return server;
}
