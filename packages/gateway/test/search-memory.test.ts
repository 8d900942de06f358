import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Store } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import { sse } from './support/answering-upstream.ts';
import { codingTools, createCodingAgent } from './support/coding-agent.ts';
import { bashOnly, deferredIn, learn, openGateway, requestsOf } from './support/deferring.ts';
import { startFront } from './support/front.ts';
import { openTemporaryStore } from './support/gateway.ts';
import { createSdkAgent } from './support/sdk-agent.ts';
import { startSimulator } from './support/simulated.ts';
import { until } from './support/until.ts';

const needsCalendar = '@@[{"tool":"Calendar","input":{}},{"text":"done"}]@@';

/** A store whose search turns are another's. */
function withTurns(store: Store, turns: Partial<Store['searchTurns']>): Store {
  return { ...store, searchTurns: { ...store.searchTurns, ...turns } };
}

/** A store that takes no search turns until it is mended. */
function withBrokenWrites(store: Store): { readonly store: Store; readonly mend: () => void } {
  let isBroken = true;
  return {
    store: withTurns(store, {
      save: (records) => (isBroken ? Promise.reject(new Error('no disk')) : store.searchTurns.save(records)),
    }),
    mend: () => void (isBroken = false),
  };
}

describe('Q2: the record of what was taken out', () => {
  test('Q2: is durable before the client has the end of the answer', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const { promise: mayWrite, resolve: allow } = Promise.withResolvers<void>();
    const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
    let isWritten = false;
    const store = withTurns(temporary.store, {
      async save(records) {
        tellAsked();
        await mayWrite;
        await temporary.store.searchTurns.save(records);
        isWritten = true;
      },
    });
    await using gateway = await openGateway(store, simulator);
    await learn(gateway);
    const response = await fetch(new URL('/anthropic/v1/messages', gateway.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'k' },
      body: JSON.stringify({
        model: 'claude-opus-5-5',
        max_tokens: 1_000,
        stream: true,
        tools: codingTools,
        messages: [{ role: 'user', content: needsCalendar }],
      }),
    });
    const wasWritten: boolean[] = [];
    let text = '';
    void asked.then(() => {
      wasWritten.push(text.includes('event: message_delta'));
      allow();
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.includes('event: message_delta')) wasWritten.push(isWritten);
    }
    expect(text).toContain('"name":"Calendar"');
    expect(wasWritten[0]).toBe(false);
    expect(wasWritten.slice(1).every(Boolean)).toBe(true);
    expect(wasWritten.length).toBeGreaterThan(1);
  });

  test('Q2, FA4: that can’t be written holds no answer up for long, is remembered, and is written later', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const { store, mend } = withBrokenWrites(temporary.store);
    const gateway = await openGateway(store, simulator);
    await learn(gateway);
    const before = simulator.arrived.length;
    const agent = createSdkAgent(gateway.url);
    await agent.turn(needsCalendar);
    const requests = simulator.arrived.slice(before);
    expect(requests.map(({ request }) => request.status)).toEqual([200, 200]);
    expect(requests[1]?.body).toContain('tool_search_tool_result');
    expect(gateway.lines.some(({ message }) => message.includes('not durable yet'))).toBe(true);
    mend();
    await gateway[Symbol.asyncDispose]();
    const call = agent.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    const { id } = call.find(({ type }) => type === 'tool_use') as { readonly id: string };
    expect(await temporary.store.searchTurns.find('local', [`call ${id}`])).toHaveLength(1);
  });

  test('Q2, FA4: that was written late is found by another gateway which has looked for it before', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const { store, mend } = withBrokenWrites(temporary.store);
    const unbound = { model: 'claude-opus-4-8' };
    const one = await openGateway(store, simulator);
    await learn(one, unbound);
    const agent = createSdkAgent(one.url, { over: unbound });
    await agent.turn(needsCalendar);
    await using two = await openGateway(temporary.store, simulator);
    const other = createSdkAgent(two.url, { over: unbound });
    other.messages.push(...agent.messages);
    await other.turn('go on');
    expect(simulator.arrived.at(-1)?.body).not.toContain('tool_search_tool_result');
    mend();
    await one[Symbol.asyncDispose]();
    await other.turn('and on');
    expect(simulator.arrived.at(-1)?.body).toContain('tool_search_tool_result');
  });

  test('O3: that can’t be read makes a request with bound thinking wait, as an unreadable decision does', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const agent = createSdkAgent(gateway.url);
    await agent.turn(needsCalendar);
    await gateway[Symbol.asyncDispose]();
    let isBroken = true;
    const store = withTurns(temporary.store, {
      find: (tenant, anchors) =>
        isBroken ? Promise.reject(new Error('no disk')) : temporary.store.searchTurns.find(tenant, anchors),
    });
    await using restarted = await openGateway(store, simulator);
    const after = createSdkAgent(restarted.url);
    after.messages.push(...agent.messages);
    const before = simulator.arrived.length;
    await expect(after.turn('go on')).rejects.toThrow(/GATEWAY_RECORD_UNREADABLE/);
    expect(simulator.arrived).toHaveLength(before);
    isBroken = false;
    after.messages.pop();
    await after.turn('go on');
    expect(simulator.arrived.at(-1)?.request.status).toBe(200);
    expect(simulator.arrived.at(-1)?.body).toContain('tool_search_tool_result');
  });

  test('O10: lives as long as its thread is used', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const touched: string[] = [];
    const store = withTurns(temporary.store, {
      touch: async (keys) => void touched.push(...keys.map(({ session }) => session)),
    });
    const gateway = await openGateway(store, simulator);
    await learn(gateway);
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn(bashOnly);
    await gateway[Symbol.asyncDispose]();
    expect(touched).toEqual([agent.session]);
  });

  test('O4: is enough to decide a thread again whose own record is lost', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const unbound = { model: 'claude-opus-4-8' };
    const gateway = await openGateway(temporary.store, simulator);
    await learn(gateway, unbound);
    const agent = createSdkAgent(gateway.url, { over: unbound });
    await agent.turn(needsCalendar);
    await gateway[Symbol.asyncDispose]();
    const lost: Store = {
      ...temporary.store,
      threads: {
        ...temporary.store.threads,
        read: async () => undefined,
        claim: async (record) => ({ type: 'won', record }),
      },
      openings: { ...temporary.store.openings, find: async () => undefined },
    };
    await using restarted = await openGateway(lost, simulator);
    const after = createSdkAgent(restarted.url, { over: unbound });
    after.messages.push(...agent.messages);
    await after.turn('go on');
    const last = simulator.arrived.at(-1);
    expect(deferredIn(last)).toContain('Calendar');
    expect(last?.body).toContain('tool_search_tool_result');
    expect((await restarted.stats()).tool_defer.rebuilds).toBe(1);
  });

  test('RU7: what a hidden search loaded counts as used in its session', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const agent = createSdkAgent(gateway.url);
    await agent.turn('@@[{"text":"I look","search":"Planner","limit":1}]@@');
    await agent.turn('go on');
    const next = createCodingAgent({ url: gateway.url });
    await next.turn(bashOnly);
    expect(deferredIn(requestsOf(simulator, next)[0])).not.toContain('Planner');
    expect(deferredIn(requestsOf(simulator, next)[0])).toContain('Calendar');
  });
});

describe('the answer’s way', () => {
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)(
    'Q2: an answer that comes as %s although it was not asked for is read all the same',
    async (encoding, pack) => {
      await using simulator = await startSimulator();
      await using temporary = await openTemporaryStore();
      await using front = await startFront(simulator.url);
      await using gateway = await openGateway(temporary.store, { ...simulator, url: front.url });
      await learn(gateway);
      const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: {} };
      const found = { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: {} };
      const block = (index: number, content: object): string =>
        sse('content_block_start', { index, content_block: content }) + sse('content_block_stop', { index });
      const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' };
      const stream = [
        sse('message_start', { message: { ...message, content: [], usage: {} } }),
        block(0, search),
        block(1, found),
        block(2, { type: 'text', text: 'ü' }),
        sse('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
        sse('message_stop'),
      ].join('');
      const whole = JSON.stringify({
        ...message,
        content: [search, found, { type: 'text', text: 'ü' }],
        usage: {},
      });
      front.intercept = ({ body, headers }) => {
        expect(headers['accept-encoding']).toBe('identity');
        const isStream = body.includes('"stream":true');
        const type = isStream ? 'text/event-stream' : 'application/json';
        return (response) =>
          response
            .writeHead(200, { 'content-type': type, 'content-encoding': encoding })
            .end(pack(isStream ? stream : whole));
      };
      for (const streams of [true, false]) {
        const agent = createSdkAgent(gateway.url, { streams });
        expect((await agent.turn('hello')).content).toEqual([{ type: 'text', text: 'ü' }]);
      }
    },
  );

  test.each([
    { preset: 'off', isDeferring: false },
    { preset: 'observe', isDeferring: false },
  ] as const)(
    'Q2: in $preset is not read: what the client accepts and what the provider sends pass as they are',
    async ({ preset }) => {
      await using simulator = await startSimulator();
      await using front = await startFront(simulator.url);
      await using gateway = await openGateway(undefined, { ...simulator, url: front.url }, { preset });
      const packed = gzipSync(
        '{"type":"message","content":[{"type":"server_tool_use","name":"tool_search_tool_bm25"}]}',
      );
      const headers = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': String(packed.length),
      };
      front.intercept = () => (response) => response.writeHead(200, headers).end(packed);
      const agent = createCodingAgent({ url: gateway.url, headers: { 'accept-encoding': 'gzip' } });
      const response = await agent.request([{ role: 'user', content: 'x' }]);
      expect(response.headers.get('content-length')).toBe(String(packed.length));
      expect(await response.text()).toContain('server_tool_use');
      expect(front.seen[0]?.headers['accept-encoding']).toBe('gzip');
    },
  );

  test('FA1: a client that goes away cancels the provider’s answer', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using front = await startFront(simulator.url);
    await using gateway = await openGateway(temporary.store, { ...simulator, url: front.url });
    await learn(gateway);
    const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>();
    front.intercept = () => (response) => {
      response.once('close', cancel);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse('message_start', { message: { usage: {} } }));
    };
    const agent = createCodingAgent({ url: gateway.url, headers: { 'x-claude-code-session-id': '' } });
    const leaving = new AbortController();
    const response = await agent.request([{ role: 'user', content: 'x' }], leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
    await expect(cancelled).resolves.toBeUndefined();
  });

  test('FA1: a client that goes away before its request is planned costs nothing', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
    const leaving = new AbortController();
    const store: Store = {
      ...temporary.store,
      threads: {
        ...temporary.store.threads,
        read(key) {
          if (key.session !== 'leaving') return temporary.store.threads.read(key);
          tellAsked();
          return new Promise(() => undefined);
        },
      },
    };
    const limits = { claimMs: 10_000, readMs: 1_000, rereadMs: 10_000 };
    await using gateway = await openGateway(store, simulator, { limits });
    await learn(gateway);
    const before = simulator.arrived.length;
    const agent = createCodingAgent({ url: gateway.url, session: 'leaving' });
    const response = agent.request([{ role: 'user', content: 'x' }], leaving.signal);
    await asked;
    const told = gateway.lines.length;
    leaving.abort();
    await expect(response).rejects.toThrow(/abort/);
    await until(async () => gateway.lines.slice(told).some(({ message }) => message === 'request'));
    expect(simulator.arrived).toHaveLength(before);
  });

  test.each(['drop', 'fin', 'nostop'] as const)(
    'FA3: a provider’s stream that ends by %s never ends well',
    async (fault) => {
      await using simulator = await startSimulator();
      await using temporary = await openTemporaryStore();
      await using gateway = await openGateway(temporary.store, simulator);
      await learn(gateway);
      const agent = createSdkAgent(gateway.url);
      const step = `{"fault":"${fault}","then":{"tool":"Calendar","input":{}}}`;
      await expect(agent.turn(`@@[${step}]@@`)).rejects.toThrow(/./);
      expect((await gateway.stats()).tool_defer.requests_rewritten).toBe(1);
    },
  );

  test('Q2: that the model’s limit cuts off in the middle of a call reaches the client whole', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using front = await startFront(simulator.url);
    await using gateway = await openGateway(temporary.store, { ...simulator, url: front.url });
    await learn(gateway);
    const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} };
    const events = [
      sse('message_start', { message: { usage: {} } }),
      sse('content_block_start', { index: 0, content_block: call }),
      sse('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":[' } }),
      sse('content_block_stop', { index: 0 }),
      sse('message_delta', { delta: { stop_reason: 'max_tokens' }, usage: {} }),
      sse('message_stop'),
    ].join('');
    front.intercept = () => (response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
    const agent = createCodingAgent({ url: gateway.url, headers: { 'x-claude-code-session-id': '' } });
    expect(await (await agent.request([{ role: 'user', content: 'x' }])).text()).toBe(events);
  });

  test('FA2: the provider’s first event reaches a client whose searches are taken out before the second is there', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using front = await startFront(simulator.url);
    await using gateway = await openGateway(temporary.store, { ...simulator, url: front.url });
    await learn(gateway);
    let goOn = (): void => {};
    front.intercept = () => (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse('message_start', { message: { usage: {} } }));
      goOn = () => void response.end(sse('message_stop'));
    };
    const agent = createCodingAgent({ url: gateway.url, headers: { 'x-claude-code-session-id': '' } });
    const response = await agent.request([{ role: 'user', content: 'x' }]);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toContain('message_start');
    goOn();
    const second = await reader?.read();
    expect(new TextDecoder().decode(second?.value)).toContain('message_stop');
  });
});
