import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { CliError } from '../src/errors.ts';
import { startServer } from '../src/server.ts';

const local = { host: '127.0.0.1', port: 0 };

/** A server whose answers the test ends itself. */
async function startHolding() {
  const { promise: held, resolve } = Promise.withResolvers<ServerResponse>();
  const server = await startServer(
    {
      listener: (_, response) => {
        response.writeHead(200).write('begun ');
        resolve(response);
      },
    },
    local,
  );
  return { server, held };
}

describe('startServer', () => {
  test('port 0 picks a port and the URL names it', async () => {
    const server = await startServer({ listener: (_, response) => response.end('hello') }, local);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await (await fetch(server.url)).text()).toBe('hello');
    await server.drain(1_000);
  });

  test('where it listens on every address, the URL names one that a client can use', async () => {
    const server = await startServer(
      { listener: (_, response) => response.end('hello') },
      { host: '0.0.0.0', port: 0 },
    );
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    await server.drain(1_000);
  });

  test('a port in use is told with what to do', async () => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const error = await startServer({ listener: () => {} }, { host: '127.0.0.1', port }).catch(
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({
      code: 'CLI_LISTEN_FAILED',
      message: `port ${port} on 127.0.0.1 is in use by another program; choose one with --port, or --port 0`,
    });
    other.close();
  });

  test('an address that is not of this machine is told', async () => {
    const error = await startServer({ listener: () => {} }, { host: '192.0.2.1', port: 0 }).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ code: 'CLI_LISTEN_FAILED', message: expect.stringContaining('--host') });
  });

  test('case 65: neither a slow body nor a slow answer has a limit, headers have one', async () => {
    const limits = Promise.withResolvers<object>();
    const server = await startServer(
      {
        listener: (request, response) => {
          const { headersTimeout, requestTimeout, timeout } = Object(Reflect.get(request.socket, 'server'));
          limits.resolve({ headersTimeout, requestTimeout, timeout });
          response.end();
        },
      },
      local,
    );
    await fetch(server.url);
    expect(await limits.promise).toEqual({ headersTimeout: 60_000, requestTimeout: 0, timeout: 0 });
    await server.drain(1_000);
  });
});

describe('drain', () => {
  test('lets an answer under way end, though its connection is kept alive, and takes no new one', async () => {
    const { server, held } = await startHolding();
    const agent = new http.Agent({ keepAlive: true });
    const request = http.get(server.url, { agent });
    const [response] = await once(request, 'response');
    const drained = server.drain(60_000);
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
    (await held).end('and ended');
    let body = '';
    for await (const chunk of response) body += String(chunk);
    expect(body).toBe('begun and ended');
    expect(await drained).toBe(0);
    agent.destroy();
  });

  test('lets go of idle connections at once', async () => {
    const server = await startServer({ listener: (_, response) => response.end('hello') }, local);
    const agent = new http.Agent({ keepAlive: true });
    const [response] = await once(http.get(server.url, { agent }), 'response');
    response.resume();
    await once(response, 'close');
    expect(await server.drain(60_000)).toBe(0);
    agent.destroy();
  });

  test('cuts what has not ended by its deadline, and says how many', async () => {
    const { server } = await startHolding();
    const response = await fetch(server.url);
    expect(await server.drain(50)).toBe(1);
    await expect(response.text()).rejects.toThrow('terminated');
  });
});
