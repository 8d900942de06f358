import { randomUUID } from 'node:crypto';
import type { Store } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import type { Body } from './support/anthropic-body.ts';
import { createCodingAgent } from './support/coding-agent.ts';
import {
  bashOnly,
  bodyOf,
  deferredIn,
  learn,
  openGateway,
  requestsOf,
  toolsBytes,
} from './support/deferring.ts';
import { openTemporaryStore } from './support/gateway.ts';
import { startSimulator } from './support/simulated.ts';

const unused = ['Calendar', 'Notebook', 'Monitor', 'Planner', 'mcp__crm__find', 'mcp__crm__merge'];

describe('a coding agent through the gateway', () => {
  test('sees what it never uses deferred from its fourth session on, finds it by search, and keeps its prefix', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn('@@[{"tool":"Calendar","input":{}},{"tool":"Bash","input":{}},{"text":"done"}]@@');
    await agent.turn('and more');
    const requests = requestsOf(simulator, agent);
    expect(requests).toHaveLength(4);
    for (const request of requests) {
      expect(deferredIn(request)).toEqual(unused);
      expect(toolsBytes(request)).toBe(toolsBytes(requests[0]));
      expect(request.request.status).toBe(200);
    }
    const called = agent.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    expect(called.filter(({ type }) => type === 'tool_use').map(({ name }) => name)).toEqual([
      'Calendar',
      'Bash',
    ]);
    expect(called.some(({ type }) => type === 'tool_search_tool_result')).toBe(true);
    const [first, ...later] = requests.map(({ request }) => request.usage);
    expect(first?.cache_read_input_tokens).toBe(0);
    for (const usage of later) expect(usage?.cache_read_input_tokens).toBeGreaterThan(0);
  });

  test('case 45: neither a load nor the use of a loaded tool moves a byte of tools, and each request reads the one before', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const agent = createCodingAgent({ url: gateway.url });
    for (const tool of ['Calendar', 'mcp__crm__find', 'Calendar']) {
      await agent.turn(`@@[{"tool":"${tool}","input":{}},{"text":"done"}]@@`);
    }
    const requests = requestsOf(simulator, agent);
    expect(requests).toHaveLength(6);
    expect(new Set(requests.map(toolsBytes)).size).toBe(1);
    const reads = requests.map(({ request }) => Number(request.usage?.cache_read_input_tokens));
    expect(reads).toEqual(reads.toSorted((left, right) => left - right));
    expect(reads[1]).toBeGreaterThan(0);
  });

  test('keeps its prefix over a restart, with no history and no verdict carried over', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const before = createCodingAgent({ url: gateway.url });
    await before.turn(bashOnly);
    const bare: Store = {
      ...temporary.store,
      plans: { load: async () => [], save: async () => {}, deleteMadeBefore: async () => 0 },
      history: {
        load: async () => [],
        save: async () => {},
        trim: async () => 0,
        deleteUnusedSince: async () => 0,
      },
      verdicts: { load: async () => [], save: async () => {}, delete: async () => {} },
      settings: temporary.store.settings,
      close: async () => {},
    };
    await using restarted = await openGateway(bare, simulator);
    const after = createCodingAgent({
      url: restarted.url,
      session: before.session,
      messages: before.messages,
    });
    await after.turn('go on');
    const requests = requestsOf(simulator, after);
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(toolsBytes)).size).toBe(1);
    expect(requests.map(({ request }) => request.status)).toEqual([200, 200, 200]);
    expect(requests.at(-1)?.request.usage?.cache_read_input_tokens).toBeGreaterThan(0);
  });

  test('O6: is left alone for life where it began before the check had passed', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    const early = createCodingAgent({ url: gateway.url });
    await early.turn(bashOnly);
    await learn(gateway);
    await early.turn(bashOnly);
    expect(requestsOf(simulator, early).flatMap(deferredIn)).toEqual([]);
    expect((await gateway.stats()).tool_defer.nothing_reasons).toMatchObject({ unchecked: 1 });
  });

  test('RU3, HI1: a tool used in this project stays, also when other projects’ sessions came since', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await createCodingAgent({ url: gateway.url, folder: '/a' }).turn('@@[{"tool":"Planner","input":{}}]@@');
    await learn(gateway, { folder: '/b' });
    const inA = createCodingAgent({ url: gateway.url, folder: '/a' });
    const inC = createCodingAgent({ url: gateway.url, folder: '/c' });
    await inA.turn(bashOnly);
    await inC.turn(bashOnly);
    expect(deferredIn(requestsOf(simulator, inA)[0])).not.toContain('Planner');
    expect(deferredIn(requestsOf(simulator, inC)[0])).toContain('Planner');
  });

  test('a sub-agent’s conversation is decided on its own', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const session = randomUUID();
    const fewer = { tools: [{ name: 'Bash', input_schema: { type: 'object' } }] };
    await createCodingAgent({ url: gateway.url, session }).turn(bashOnly);
    await createCodingAgent({ url: gateway.url, session, agent: 'a1', ...fewer }).turn(bashOnly);
    const own = simulator.arrived.filter(({ request }) => request.session === session);
    expect(own.map((request) => deferredIn(request).length)).toEqual([6, 6, 0, 0]);
  });
});

describe('what stays as the client sent it', () => {
  test('PR5: a thread that begins with the bypass header, for life; on a later request it changes nothing', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const bypassing = createCodingAgent({ url: gateway.url, headers: { 'x-quartermaster-bypass': 'true' } });
    await bypassing.turn(bashOnly);
    const { session, messages } = bypassing;
    await createCodingAgent({ url: gateway.url, session, messages }).turn('go on');
    expect(requestsOf(simulator, bypassing).flatMap(deferredIn)).toEqual([]);
    const deferred = createCodingAgent({ url: gateway.url });
    await deferred.turn(bashOnly);
    const late = { session: deferred.session, messages: deferred.messages };
    await createCodingAgent({
      url: gateway.url,
      ...late,
      headers: { 'x-quartermaster-bypass': 'true' },
    }).turn('on');
    expect(new Set(requestsOf(simulator, deferred).map(toolsBytes)).size).toBe(1);
    expect((await gateway.stats()).tool_defer.bypasses).toBe(3);
  });

  test('Q5: requests without client tools and count_tokens, which are no sessions either', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    const webSearch = [{ name: 'web_search', type: 'web_search_20260318' }];
    for (const tools of [[], webSearch]) await createCodingAgent({ url: gateway.url, tools }).turn('x');
    expect((await gateway.stats()).tool_defer).toMatchObject({
      threads_decided: 0,
      unchanged_reasons: { 'no-client-tools': 2 },
    });
  });

  test('O7: the thread’s request on a model that can’t take the place of its names list', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn(bashOnly);
    const { session } = agent;
    await createCodingAgent({ url: gateway.url, session, model: 'claude-sonnet-4-6' }).turn('other model');
    const last = requestsOf(simulator, agent).at(-1);
    expect(deferredIn(last)).toEqual([]);
    expect((await gateway.stats()).tool_defer.unchanged_reasons).toMatchObject({ 'other-model': 1 });
  });

  test.each([
    { preset: 'observe', reason: undefined },
    { preset: 'ultrahigh', reason: 'no-store' },
  ] as const)('everything in $preset without a store', async ({ preset, reason }) => {
    await using simulator = await startSimulator();
    await using gateway = await openGateway(undefined, simulator, { preset });
    const sent: string[] = [];
    for (let session = 0; session < 5; session += 1) {
      const agent = createCodingAgent({ url: gateway.url });
      sent.push(agent.session);
      await agent.turn(bashOnly);
    }
    expect(simulator.arrived.flatMap(deferredIn)).toEqual([]);
    const { nothing_reasons: reasons } = (await gateway.stats()).tool_defer;
    expect(reasons).toEqual(reason === undefined ? { 'deferral-off': 5 } : { [reason]: 5 });
    const warnings = gateway.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toHaveLength(reason === undefined ? 0 : 1);
  });
});

test('O2: two gateways on one store send the same bytes for one thread', async () => {
  await using simulator = await startSimulator();
  await using temporary = await openTemporaryStore();
  await using one = await openGateway(temporary.store, simulator);
  await learn(one);
  await using two = await openGateway(temporary.store, simulator);
  const session = randomUUID();
  await Promise.all([
    createCodingAgent({ url: one.url, session }).turn('hello'),
    createCodingAgent({ url: two.url, session }).turn('hello'),
  ]);
  const [first, second] = simulator.arrived.filter(({ request }) => request.session === session);
  expect(first?.body).toBe(second?.body);
});

test('RW9: a compressed request that is edited goes as plain JSON with right headers', async () => {
  const { gzipSync } = await import('node:zlib');
  await using simulator = await startSimulator();
  await using temporary = await openTemporaryStore();
  await using gateway = await openGateway(temporary.store, simulator);
  await learn(gateway);
  const agent = createCodingAgent({ url: gateway.url });
  await agent.turn('hello');
  const [plain] = requestsOf(simulator, agent);
  const original = JSON.stringify({ ...bodyOf(plain), tools: undefined });
  expect(original).toContain('"messages"');
  const body = JSON.parse(plain?.body ?? '{}') as Body;
  const tools = body.tools.slice(0, -1).map(({ defer_loading: _, ...entry }) => entry);
  const messages = body.messages.map(({ role, content }) => ({
    role,
    content: role === 'system' && typeof content !== 'string' ? content.slice(0, -1) : content,
  }));
  const response = await fetch(new URL('/anthropic/v1/messages', gateway.url), {
    method: 'POST',
    headers: {
      'content-encoding': 'gzip',
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-test',
      'x-claude-code-session-id': agent.session,
    },
    body: gzipSync(JSON.stringify({ ...body, tools, messages })),
  });
  expect(response.status).toBe(200);
  expect(deferredIn(simulator.arrived.at(-1))).toEqual(unused);
});
