import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import net from 'node:net';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startGateway } from './support/gateway.ts';
import { send } from './support/raw-http.ts';
import { startServer } from './support/server.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** An upstream that keeps what it saw and answers with what `answer` writes. */
async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
) {
  const seen: Seen[] = [];
  const running = await startServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body = Buffer.concat(chunks);
      seen.push({
        method: request.method ?? '',
        url: request.url ?? '',
        rawHeaders: request.rawHeaders,
        body,
      });
      answer(request, response, body);
    });
  });
  return { ...running, seen, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

const echo = (_request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
};

const encodings = {
  identity: (body: Buffer) => body,
  gzip: (body: Buffer) => zlib.gzipSync(body),
  br: (body: Buffer) =>
    zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (body: Buffer) => zlib.zstdCompressSync(body),
} as const;

describe.each(['off', 'observe', 'ultrahigh'] as const)('preset %s forwards byte for byte', (preset) => {
  test.each(Object.entries(encodings))(
    'requests and answers of 4 KB to 20 MB in %s',
    async (encoding, encode) => {
      await using upstream = await startUpstream(echo);
      await using gateway = await startGateway(upstream.url, { preset });
      for (const size of [4 * 1024, 256 * 1024, 20 * 1024 * 1024]) {
        const text = JSON.stringify({
          model: 'claude-opus-5-5',
          messages: [],
          pad: randomBytes(size / 2).toString('hex'),
        });
        const body = encode(Buffer.from(` ${text}\n`));
        const headers = encoding === 'identity' ? {} : { 'content-encoding': encoding };
        const answer = await send(new URL('/anthropic/v1/messages', gateway.url), { headers, body });
        expect(answer.body.equals(body)).toBe(true);
        expect(upstream.seen.at(-1)?.body.equals(body)).toBe(true);
      }
    },
  );

  test('server-sent events as they are cut, whatever they hold', async () => {
    const events = ['event: a\ndata: {"t":"\u00fc', '\u{1f680}"}\r\n\r', '\n: ping\n\n', 'data: [DONE]\n\n'];
    await using upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events) response.write(event);
      response.end();
    });
    await using gateway = await startGateway(upstream.url, { preset });
    const answer = await send(new URL('/anthropic/v1/messages?beta=true', gateway.url), {
      body: '{"stream":true}',
    });
    expect(answer.body.toString()).toBe(events.join(''));
  });

  test('what is not JSON, cut off, too large when decoded or in an unknown encoding', async () => {
    await using upstream = await startUpstream(echo);
    await using gateway = await startGateway(upstream.url, { preset, limits: { bodyBytes: 64 * 1024 } });
    const url = new URL('/anthropic/v1/messages', gateway.url);
    const bomb = zlib.gzipSync(Buffer.alloc(1024 * 1024));
    const bodies = [
      { headers: {}, body: Buffer.from('not json') },
      {
        headers: { 'content-encoding': 'gzip' },
        body: zlib.gzipSync(Buffer.from('{"model":"x"}')).subarray(0, 15),
      },
      { headers: { 'content-encoding': 'gzip' }, body: bomb },
      { headers: { 'content-encoding': 'rot13' }, body: Buffer.from('{}') },
    ];
    for (const { headers, body } of bodies) {
      const answer = await send(url, { headers, body });
      expect(answer.body.equals(body)).toBe(true);
    }
    const { unchanged_reasons: reasons } = (await gateway.stats()).tool_defer;
    const counted = { 'not-json': 1, undecodable: 1, 'decoded-too-large': 1, 'unknown-encoding': 1 };
    expect(reasons).toEqual(preset === 'off' ? {} : counted);
  });
});

describe('routes', () => {
  test('keep path, query and escapes, and drop a doubled /v1 (case 11)', async () => {
    await using upstream = await startUpstream(echo);
    const paths = {
      '/anthropic/v1/messages?beta=true&x=%2F': '/v1/messages?beta=true&x=%2F',
      '/anthropic/v1/v1/messages': '/v1/messages',
      '/openai/v1/responses': '/v1/responses',
      '/gemini/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse':
        '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
      '/anthropic/v1/files/a%20b/content': '/v1/files/a%20b/content',
    };
    for (const base of ['', '/', '/v1', '/v1/', '/pre/v1']) {
      await using gateway = await startGateway(new URL(base, upstream.url), { preset: 'off' });
      for (const [asked, expected] of Object.entries(paths)) {
        await send(new URL(asked, gateway.url), { body: '{}' });
        expect(upstream.seen.at(-1)?.url).toBe((base.startsWith('/pre') ? '/pre' : '') + expected);
      }
    }
  });

  test('an unknown path is a 404 that names the paths there are', async () => {
    await using upstream = await startUpstream(echo);
    await using gateway = await startGateway(upstream.url, { preset: 'off' });
    const answer = await send(new URL('/v1/messages?key=canary', gateway.url), { body: '{}' });
    const body = JSON.parse(answer.body.toString()) as {
      type: string;
      error: { type: string; message: string };
    };
    expect(answer.status).toBe(404);
    expect(body).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
    expect(body.error.message).toMatch(/quartermaster gateway: expected a path below \/anthropic/);
    expect(body.error.message).not.toMatch(/canary/);
  });

  test('an upgrade gets 426', async () => {
    await using upstream = await startUpstream(echo);
    await using gateway = await startGateway(upstream.url, { preset: 'off' });
    const socket = net.connect(Number(gateway.url.port), '127.0.0.1');
    socket.write(
      'GET /openai/v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 426 /);
    socket.destroy();
  });
});

describe('headers', () => {
  test('arrive upstream as the client spelled them, but for the connection’s and our own', async () => {
    await using upstream = await startUpstream(echo);
    await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh' });
    const sent = [
      'X-Api-Key',
      'k',
      'Anthropic-Beta',
      'a',
      'anthropic-beta',
      'b',
      'X-ODD',
      'Ü',
      'Content-Length',
      '2',
    ];
    const own = [
      'X-Quartermaster-Bypass',
      'true',
      'Connection',
      'keep-alive, X-Hop',
      'X-Hop',
      '1',
      'TE',
      'trailers',
    ];
    await send(new URL('/anthropic/v1/messages', gateway.url), {
      headers: [...own, ...sent],
      body: Buffer.from('{}'),
    });
    const [seen] = upstream.seen;
    const withoutConnection = (seen?.rawHeaders ?? []).slice(0, 2 + sent.length);
    expect(withoutConnection).toEqual(['Host', upstream.url.host, ...sent]);
    expect(seen?.rawHeaders.join(' ')).not.toMatch(/quartermaster|X-Hop|\bTE\b/i);
  });

  test.each([
    { status: 429, headers: { 'retry-after': '30', 'request-id': 'req_1' } },
    { status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' } },
    { status: 529, headers: { 'x-should-retry': 'true' } },
    { status: 503, headers: { 'retry-after': '0' } },
  ])('and status reach the client as sent: $status $headers (case 9)', async ({ status, headers }) => {
    await using upstream = await startUpstream((_request, response) => {
      response.writeHead(status, headers);
      response.end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
    });
    await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh' });
    const answer = await send(new URL('/anthropic/v1/messages', gateway.url), { body: '{}' });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(headers);
    expect(answer.body.toString()).toMatch(/overloaded_error/);
  });

  test('of an encoded answer agree with its bytes on every status (case 7)', async () => {
    const encoded = zlib.brotliCompressSync(Buffer.from('{"ok":true}'));
    await using upstream = await startUpstream((request, response) => {
      const status = Number(new URL(request.url ?? '', 'http://x').searchParams.get('status'));
      response.writeHead(
        status,
        status === 204 ? {} : { 'content-encoding': 'br', 'content-length': encoded.length },
      );
      response.end(status === 204 || request.method === 'HEAD' ? undefined : encoded);
    });
    await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh' });
    for (const [method, status] of [
      ['POST', 200],
      ['POST', 404],
      ['POST', 429],
      ['HEAD', 200],
      ['POST', 204],
    ] as const) {
      const url = new URL(`/anthropic/v1/messages?status=${status}`, gateway.url);
      const answer = await send(url, { method });
      expect(answer.status).toBe(status);
      const isBodiless = method === 'HEAD' || status === 204;
      expect(answer.body.equals(isBodiless ? Buffer.alloc(0) : encoded)).toBe(true);
      expect(answer.headers['content-encoding']).toBe(status === 204 ? undefined : 'br');
    }
  });
});

describe('bodies over the limit', () => {
  test.each(['off', 'ultrahigh'] as const)(
    'are a 413 in the dialect of the route in preset %s',
    async (preset) => {
      await using upstream = await startUpstream(echo);
      await using gateway = await startGateway(upstream.url, { preset, limits: { bodyBytes: 1000 } });
      const anthropic = await send(new URL('/anthropic/v1/messages', gateway.url), {
        body: 'x'.repeat(1001),
      });
      expect(anthropic.status).toBe(413);
      expect(JSON.parse(anthropic.body.toString())).toMatchObject({
        type: 'error',
        error: { type: 'request_too_large' },
      });
      const openai = await send(new URL('/openai/v1/responses', gateway.url), { body: 'x'.repeat(1001) });
      expect(openai.status).toBe(413);
      expect(JSON.parse(openai.body.toString())).toMatchObject({ error: { code: 'GATEWAY_BODY_TOO_LARGE' } });
      expect(upstream.seen).toEqual([]);
      const file = await send(new URL('/anthropic/v1/files', gateway.url), { body: 'x'.repeat(5000) });
      expect(file.status).toBe(200);
    },
  );

  test('are refused by their declared length before they are asked for (case 63)', async () => {
    await using upstream = await startUpstream(echo);
    await using gateway = await startGateway(upstream.url, {
      preset: 'ultrahigh',
      limits: { bodyBytes: 1000 },
    });
    const ask = async (length: number): Promise<string> => {
      const socket = net.connect(Number(gateway.url.port), '127.0.0.1');
      socket.write(
        `POST /anthropic/v1/messages HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`,
      );
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return chunk.toString().split('\r\n', 1)[0] ?? '';
    };
    expect(await ask(2_000_000)).toMatch(/ 413 /);
    expect(await ask(2)).toMatch(/ 100 /);
  });
});

describe('faults', () => {
  test('an upstream that is not there is a 502 in the caller’s dialect, without the secrets of its URL (case 131)', async () => {
    const nowhere = new URL('http://user:pw-canary@127.0.0.1:1/v1?key=k-canary');
    await using gateway = await startGateway(nowhere, { preset: 'ultrahigh' });
    const answers = await Promise.all(
      ['/anthropic/v1/messages', '/openai/v1/chat/completions', '/gemini/v1beta/models'].map((path) =>
        send(new URL(path, gateway.url), { body: '{}' }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([502, 502, 502]);
    const [anthropic, openai, gemini] = answers.map(({ body }) => JSON.parse(body.toString()) as object);
    expect(anthropic).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(openai).toMatchObject({ error: { type: 'server_error', code: 'GATEWAY_UPSTREAM_UNREACHABLE' } });
    expect(gemini).toMatchObject({ error: { status: 'UNAVAILABLE' } });
    const told = JSON.stringify([answers.map(({ body }) => body.toString()), gateway.lines]);
    expect(told).toMatch(/ECONNREFUSED/);
    expect(told).not.toMatch(/canary/);
  });

  test.each(['off', 'ultrahigh'] as const)(
    'FA1: a client that goes away cancels upstream, before and after the first byte, in preset %s',
    async (preset) => {
      for (const isStarted of [false, true]) {
        const arrived = Promise.withResolvers<ServerResponse>();
        await using upstream = await startUpstream((_request, response) => {
          if (isStarted) response.write('data: {}\n\n');
          arrived.resolve(response);
        });
        await using gateway = await startGateway(upstream.url, { preset });
        const socket = net.connect(Number(gateway.url.port), '127.0.0.1');
        socket.write('POST /anthropic/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
        const response = await arrived.promise;
        if (isStarted) await once(socket, 'data');
        const closed = once(response, 'close');
        socket.destroy();
        await closed;
        expect(response.writableFinished).toBe(false);
      }
    },
  );

  test('FA2: the first byte of a stream is not held back until the next', async () => {
    const first = Promise.withResolvers<void>();
    await using upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      void first.promise.then(() => response.end('data: 2\n\n'));
    });
    await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh' });
    const response = await fetch(new URL('/anthropic/v1/messages', gateway.url), {
      method: 'POST',
      body: '{}',
    });
    const reader = response.body?.getReader();
    const chunk = await reader?.read();
    expect(Buffer.from(chunk?.value ?? []).toString()).toBe('data: 1\n\n');
    first.resolve();
    const rest = await reader?.read();
    expect(Buffer.from(rest?.value ?? []).toString()).toBe('data: 2\n\n');
  });

  test('FA3: an upstream that dies in mid-stream ends the client’s stream as a cut', async () => {
    await using upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"content_bl', () => response.destroy());
    });
    await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh' });
    const url = new URL('/anthropic/v1/messages', gateway.url);
    await expect(send(url, { body: '{}' })).rejects.toThrow(/aborted|socket hang up|ECONNRESET/);
  });

  test('an idle connection that the upstream closed is not used again (case 61)', async () => {
    await using upstream = await startUpstream(echo);
    await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh' });
    const url = new URL('/anthropic/v1/messages', gateway.url);
    const sockets = new Set<net.Socket>();
    upstream.server.on('connection', (socket) => sockets.add(socket));
    expect((await send(url, { body: '{}' })).status).toBe(200);
    const closed = Promise.all([...sockets].map((socket) => once(socket, 'close')));
    for (const socket of sockets) socket.end();
    await closed;
    expect((await send(url, { body: '{}' })).status).toBe(200);
    expect(upstream.seen).toHaveLength(2);
  });
});

describe('control routes', () => {
  test('/healthz and /readyz tell liveness and what is missing', async () => {
    await using upstream = await startUpstream(echo);
    await using ready = await startGateway(upstream.url, { preset: 'off' });
    await using alone = await startGateway(new URL('http://127.0.0.1:1'), { preset: 'off' });
    const get = (path: string, url: URL) => send(new URL(path, url), { method: 'GET' });
    expect((await get('/healthz', alone.url)).status).toBe(200);
    expect((await get('/readyz', ready.url)).status).toBe(200);
    const missing = await get('/readyz', alone.url);
    expect(missing.status).toBe(503);
    expect(missing.body.toString()).toMatch(/127\.0\.0\.1:1 can't be reached/);
  });

  test('a wrong method is a 404 that says what was expected and what came', async () => {
    await using upstream = await startUpstream(echo);
    await using gateway = await startGateway(upstream.url, { preset: 'off' });
    const answer = await send(new URL('/stats', gateway.url), { body: '{}' });
    expect(answer.status).toBe(404);
    expect(answer.body.toString()).toMatch(/GATEWAY_UNKNOWN_ROUTE.*GET \/stats, got POST \/stats/);
  });
});
