import { describe, expect, test } from 'vitest';
import { createBench } from './bench.ts';
import { createNewHandler, createOldestHandler, createOldHandler, listen } from './http-servers.ts';

describe('servers over HTTP, of both eras', () => {
  test.each([
    ['the newer one', () => createNewHandler().listener, '2026-07-28'],
    ['the older one with sessions', createOldHandler, '2025-11-25'],
    ['the oldest form of HTTP', createOldestHandler, '2025-11-25'],
  ])('RT2: a server of %s', async (_, createHandler, protocolVersion) => {
    await using server = await listen(createHandler());
    await using bench = createBench({ url: server.url });
    await bench.start();
    expect(bench.toolset.status()).toMatchObject({ state: 'ready', protocolVersion });
    expect(await bench.call('echo', { text: 'hello' })).toEqual({ type: 'completed', output: 'hello' });
  });

  test('a tool that comes in mid-session is there: newer era', async () => {
    const { listener, show } = createNewHandler();
    await using server = await listen(listener);
    await using bench = createBench({ url: server.url });
    await bench.start();
    show('grown');
    await bench.until(() => bench.names().includes('grown'));
    expect(await bench.call('grown')).toMatchObject({ type: 'completed' });
  });

  test('a tool that comes in mid-session is there: older era', async () => {
    await using server = await listen(createOldHandler());
    await using bench = createBench({ url: server.url });
    await bench.start();
    await bench.call('grow');
    await bench.until(() => bench.names().includes('grown'));
    expect(await bench.call('grown')).toEqual({ type: 'completed', output: 'grown' });
  });
});

test('headers of the configuration go with each request, filled from variables', async () => {
  const seen: unknown[] = [];
  const { listener } = createNewHandler();
  await using server = await listen((request, response) => {
    seen.push(request.headers['authorization']);
    listener(request, response);
  });
  const env = { TOKEN: 'sesame-open' };
  await using bench = createBench(
    { url: server.url, headers: { Authorization: 'Bearer ${TOKEN}' } },
    { env },
  );
  await bench.start();
  await bench.call('echo', { text: 'x' });
  expect(new Set(seen)).toEqual(new Set(['Bearer sesame-open']));
  expect(JSON.stringify(bench.toolset.status())).not.toContain('sesame');
});

test('a server of the older era is told that its session is over, and one that does not hear it is not waited for', async () => {
  const handler = createOldHandler();
  const seen: string[] = [];
  await using server = await listen((request, response) => {
    if (request.method === 'DELETE') seen.push(String(request.headers['mcp-session-id']));
    else handler(request, response);
  });
  const bench = createBench({ url: server.url });
  await bench.start();
  const beganMs = performance.now();
  await bench.toolset.close();
  expect(seen).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  expect(performance.now() - beganMs).toBeLessThan(3_000);
});

describe('case 123 over HTTP', () => {
  test.each([
    ['before it is answered at all', 'slow', () => createNewHandler().listener],
    ['in the middle of its stream', 'hang', () => createOldHandler(() => undefined)],
  ] as const)('a call in flight fails within a second: %s', async (_, tool, createHandler) => {
    const isUnderWay = Promise.withResolvers<void>();
    const handler = createHandler();
    const server = await listen((request, response) => {
      if (request.headers['mcp-method'] === 'tools/call') isUnderWay.resolve();
      handler(request, response);
    });
    const notingFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(input, init);
      if (typeof init?.body === 'string' && init.body.includes('tools/call')) isUnderWay.resolve();
      return response;
    };
    await using bench = createBench({ url: server.url }, { fetch: notingFetch });
    await bench.start();
    const call = bench.call(tool);
    await isUnderWay.promise;
    const beganMs = performance.now();
    await server.close();
    expect(await call).toMatchObject({ type: 'failed' });
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    await bench.untilState('restarting');
  });

  test('a server that went away fails the call at once, and is there again when it is back', async () => {
    const first = await listen(createOldHandler());
    await using bench = createBench({ url: first.url });
    await bench.start();
    const tools = bench.toolset.tools();
    await first.close();
    const beganMs = performance.now();
    expect(await bench.call('echo', { text: 'x' })).toMatchObject({ type: 'failed' });
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    await bench.untilState('restarting');
    expect(bench.toolset.tools()).toEqual(tools);
    await using _second = await listen(createOldHandler(), first.port);
    bench.wakeUp();
    await bench.untilState('ready');
    expect(await bench.call('echo', { text: 'x' })).toMatchObject({ type: 'completed' });
  });

  test('a server that forgot the session is connected to anew', async () => {
    let handler = createOldHandler();
    await using server = await listen((request, response) => handler(request, response));
    await using bench = createBench({ url: server.url });
    await bench.start();
    handler = createOldHandler();
    expect(await bench.call('echo', { text: 'x' })).toMatchObject({ type: 'failed' });
    await bench.until(() => bench.waits.length === 1);
    bench.wakeUp();
    await bench.untilState('ready');
    expect(await bench.call('echo', { text: 'x' })).toMatchObject({ type: 'completed' });
  });

  test('a stream of changes that breaks off is opened again, and what changed meanwhile is read', async () => {
    const { listener, show } = createNewHandler();
    const streams: (() => void)[] = [];
    await using server = await listen((request, response) => {
      if (request.headers['mcp-method'] === 'subscriptions/listen') streams.push(() => response.destroy());
      listener(request, response);
    });
    await using bench = createBench({ url: server.url });
    await bench.start();
    expect(streams).toHaveLength(1);
    for (const cut of streams) cut();
    await bench.until(() => bench.waits.length === 1);
    show('grown');
    bench.wakeUp();
    await bench.until(() => bench.names().includes('grown'));
    expect(bench.toolset.status()).toMatchObject({ state: 'ready', restarts: 0 });
  });

  test('an address that never answers is given up in time', async () => {
    await using server = await listen(() => undefined);
    await using bench = createBench({ url: server.url, startupSeconds: 0.3, restart: 'never' });
    await bench.start();
    expect(bench.toolset.status().lastProblem).toBe('It was not ready within 0.3 s.');
  });

  test('an answer without end breaks off', async () => {
    await using server = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const fill = (): void => {
        if (response.destroyed) return;
        response.write(' '.repeat(1_000_000));
        setImmediate(fill);
      };
      fill();
    });
    await using bench = createBench({ url: server.url, restart: 'never' });
    await bench.start();
    expect(bench.toolset.status()).toMatchObject({
      state: 'failed',
      lastProblem: expect.stringContaining('bytes'),
    });
  });
});
