import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { catalog } from '@quartermaster/catalog';
import type { Store } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import type { GatewayOptions, Log } from '../src/index.ts';
import { createAsks } from '../src/signals/asks.ts';
import { createOptOuts, type OptOuts } from '../src/signals/opt-outs.ts';
import { createCodingAgent } from './support/coding-agent.ts';
import { bashOnly, deferredIn, learn, openGateway, requestsOf } from './support/deferring.ts';
import { openTemporaryStore, type RunningGateway, startGateway } from './support/gateway.ts';
import { type RawAnswer, send } from './support/raw-http.ts';
import { startServer } from './support/server.ts';
import { type RunningSimulator, startSimulator } from './support/simulated.ts';
import { until } from './support/until.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const dayMs = 86_400_000;
const json = { 'content-type': 'application/json' };
/** A loaded machine must not make a decision "nothing". */
const limits = { claimMs: 5_000, readMs: 5_000 };

function signal(
  gateway: Pick<RunningGateway, 'url'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = json,
): Promise<RawAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return send(new URL('/tool-search', gateway.url), { headers, body: text });
}

function ask(gateway: Pick<RunningGateway, 'url'>, body = '', headers = json): Promise<RawAnswer> {
  return send(new URL('/tool-defer/probe', gateway.url), { headers, body });
}

interface World extends AsyncDisposable {
  readonly simulator: RunningSimulator;
  readonly store: Store;
  readonly folder: string;
  readonly gateway: RunningGateway;
  pass(ms: number): void;
  open(over?: Partial<GatewayOptions>): Promise<RunningGateway>;
}

/** A gateway on a store of its own, with a clock that a test moves. */
async function startWorld(over: Partial<GatewayOptions> = {}): Promise<World> {
  const simulator = await startSimulator();
  const temporary = await openTemporaryStore();
  let aheadMs = 0;
  const opened: RunningGateway[] = [];
  const open = async (more: Partial<GatewayOptions> = {}): Promise<RunningGateway> => {
    const clock = { now: () => Date.now() + aheadMs };
    const gateway = await openGateway(temporary.store, simulator, { clock, limits, ...over, ...more });
    opened.push(gateway);
    return gateway;
  };
  return {
    simulator,
    store: temporary.store,
    folder: temporary.folder,
    gateway: await open(),
    pass: (ms) => {
      aheadMs += ms;
    },
    open,
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** Whether a new thread of the session is deferred for. */
async function isDeferred(
  { simulator }: World,
  gateway: RunningGateway,
  session: string,
  agent?: string,
): Promise<boolean> {
  const from = simulator.arrived.length;
  const client = createCodingAgent({ url: gateway.url, session, ...(agent !== undefined && { agent }) });
  await client.turn(bashOnly);
  return simulator.arrived.slice(from).some((arrived) => deferredIn(arrived).length > 0);
}

describe('SG1', () => {
  test('SG1: the texts false, 0, no and off in any case, and what counts as them, opt the session out of deferral', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const flags = ['false', '0', 'no', 'off', 'OFF', 'False', 'nO', false, 0];
    for (const flag of flags) {
      const session = randomUUID();
      const answer = await signal(world.gateway, { session, enable_tool_search: flag });
      expect([answer.status, answer.body.length]).toEqual([204, 0]);
      expect(await isDeferred(world, world.gateway, session)).toBe(false);
    }
    expect(await isDeferred(world, world.gateway, randomUUID())).toBe(true);
    const { nothing_reasons: reasons } = (await world.gateway.stats()).tool_defer;
    expect(reasons).toMatchObject({ 'opted-out': flags.length });
  });

  test('SG1: any other value changes nothing', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const values = ['true', 'on', '', ' false', 'false ', 'none', 'disabled', 'off'.padEnd(17, ' '), '00'];
    for (const flag of [...values, true, 1, -1, null, {}, ['off'], undefined]) {
      const session = randomUUID();
      expect((await signal(world.gateway, { session, enable_tool_search: flag })).status).toBe(204);
      expect(await isDeferred(world, world.gateway, session)).toBe(true);
    }
    expect(await world.store.optOuts.load('local')).toEqual([]);
  });

  test('SG1: and it clears nothing', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const session = randomUUID();
    for (const flag of ['off', 'true', 'auto', null]) {
      await signal(world.gateway, { session, enable_tool_search: flag });
    }
    expect(await isDeferred(world, world.gateway, session)).toBe(false);
    await signal(world.gateway, { session, enable_tool_search: 'on' });
    expect(await isDeferred(world, world.gateway, session, 'a1')).toBe(false);
  });
});

describe('SG2', () => {
  test('SG2: for a session already seen it is stored with it at once; O7: its live threads keep their prefix', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const agent = createCodingAgent({ url: world.gateway.url });
    await agent.turn(bashOnly);
    await signal(world.gateway, { session: agent.session, enable_tool_search: 'off' });
    expect(await world.store.optOuts.load('local')).toMatchObject([
      { session: agent.session, isPending: false },
    ]);
    await agent.turn(bashOnly);
    const deferred = requestsOf(world.simulator, agent).map((request) => deferredIn(request).length);
    expect(deferred).toEqual([6, 6, 6, 6]);
    expect(await isDeferred(world, world.gateway, agent.session, 'a1')).toBe(false);
  });

  test('SG2: for an unseen session it waits, is taken at its first request, and speaks for its later threads', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const session = randomUUID();
    await signal(world.gateway, { session, enable_tool_search: 'off' });
    expect(await world.store.optOuts.load('local')).toMatchObject([{ session, isPending: true }]);
    expect(await isDeferred(world, world.gateway, session)).toBe(false);
    world.pass(2 * dayMs);
    expect(await isDeferred(world, world.gateway, session, 'a1')).toBe(false);
    await world.gateway.gateway.close();
    expect(await world.store.optOuts.load('local')).toMatchObject([{ session, isPending: false }]);
  });

  test('SG2: one that waits lapses after 24 h', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const [early, late] = [randomUUID(), randomUUID()];
    for (const session of [early, late]) await signal(world.gateway, { session, enable_tool_search: 'off' });
    world.pass(dayMs - 60_000);
    expect(await isDeferred(world, world.gateway, early)).toBe(false);
    world.pass(60_000);
    await learn(world.gateway, { sessions: 1 });
    expect(await isDeferred(world, world.gateway, late)).toBe(true);
  });

  test('SG2: at most 64 wait for a tenant, the oldest give way', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const sessions = Array.from({ length: 65 }, () => randomUUID());
    for (const session of sessions) await signal(world.gateway, { session, enable_tool_search: 'off' });
    const [oldest = '', second = ''] = sessions;
    expect(await world.store.optOuts.load('local')).toHaveLength(64);
    expect(await isDeferred(world, world.gateway, second)).toBe(false);
    expect(await isDeferred(world, world.gateway, oldest)).toBe(true);
  });

  test('SG2: it survives a restart, waiting or taken', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const [waiting, taken] = [randomUUID(), randomUUID()];
    for (const session of [waiting, taken]) {
      await signal(world.gateway, { session, enable_tool_search: 'off' });
    }
    await isDeferred(world, world.gateway, taken);
    // No close: as after a kill.
    const restarted = await world.open();
    await learn(restarted);
    expect(await isDeferred(world, restarted, waiting)).toBe(false);
    expect(await isDeferred(world, restarted, taken, 'a1')).toBe(false);
    expect(await isDeferred(world, restarted, randomUUID())).toBe(true);
  });

  test('SG2: it is taken at the session’s first request in any preset, after a restart too', async () => {
    await using world = await startWorld();
    const session = randomUUID();
    await signal(world.gateway, { session, enable_tool_search: 'off' });
    const observing = await world.open({ preset: 'observe' });
    await createCodingAgent({ url: observing.url, session }).turn(bashOnly);
    await observing.gateway.close();
    expect(await world.store.optOuts.load('local')).toMatchObject([{ session, isPending: false }]);
  });

  test('SG2: another gateway on the same store knows it at the session’s first request', async () => {
    await using world = await startWorld();
    await learn(world.gateway);
    const beside = await world.open();
    await learn(beside);
    const session = randomUUID();
    await signal(world.gateway, { session, enable_tool_search: 'off' });
    expect(await isDeferred(world, beside, session)).toBe(false);
    expect(await isDeferred(world, beside, randomUUID())).toBe(true);
  });

  test('O4, O7: a live thread whose record was lost is not flipped by the wish', async () => {
    await using world = await startWorld();
    await learn(world.gateway, { model: 'claude-haiku-5-5' });
    const model = 'claude-haiku-5-5';
    const agent = createCodingAgent({ url: world.gateway.url, model });
    await agent.turn('@@[{"tool":"Calendar","input":{}},{"text":"done"}]@@');
    await signal(world.gateway, { session: agent.session, enable_tool_search: 'off' });
    await world.gateway.gateway.close();
    const { store } = world;
    const lost = { ...store.threads, read: async () => undefined, claim: claimAnew };
    const openings = { ...store.openings, find: async () => undefined };
    const restarted = await world.open({ store: { ...store, threads: lost, openings } });
    const from = world.simulator.arrived.length;
    await createCodingAgent({ ...agent, url: restarted.url, model }).turn('on');
    expect(deferredIn(world.simulator.arrived[from])).toContain('Calendar');
  });

  test('O10: an opt-out lives from its session’s last request on, and is forgotten 30 days after it', async () => {
    await using temporary = await openTemporaryStore();
    let nowMs = 0;
    const optOuts = optOutsOver(temporary.store, () => nowMs, true);
    for (const session of ['used', 'idle']) await optOuts.optOut('local', session);
    nowMs = 20 * dayMs;
    optOuts.see('local', 'used');
    await optOuts.flush();
    nowMs = 31 * dayMs;
    await optOuts.forgetUnusedSince(nowMs - 30 * dayMs);
    const restarted = optOutsOver(temporary.store, () => nowMs, true);
    await restarted.load('local');
    for (const each of [optOuts, restarted]) {
      expect(await each.has('local', 'used', 1_000)).toBe(true);
      expect(await each.has('local', 'idle', 1_000)).toBe(false);
    }
  });

  test('FA4: a store that fails keeps no signal from being heard, and gets it later', async () => {
    await using temporary = await openTemporaryStore();
    let isFailing = true;
    const { optOuts: stored } = temporary.store;
    const save: typeof stored.save = (records) =>
      isFailing ? Promise.reject(new Error('full')) : stored.save(records);
    const optOuts = optOutsOver({ optOuts: { ...stored, save } }, () => 5, false);
    await optOuts.optOut('local', 's');
    expect(await optOuts.has('local', 's', 1_000)).toBe(true);
    expect(await stored.load('local')).toEqual([]);
    isFailing = false;
    await optOuts.flush();
    expect(await stored.load('local')).toHaveLength(1);
  });

  test('SG2: a store that does not answer in time leaves a new thread alone', async () => {
    const stuck: Store['optOuts'] = {
      load: async () => [],
      find: () => new Promise(() => {}),
      save: async () => {},
      trimPending: async () => 0,
      deleteUnusedSince: async () => 0,
    };
    await using world = await startWorld();
    await learn(world.gateway);
    const store = { ...world.store, optOuts: stuck };
    const slow = await world.open({ store, limits: { claimMs: 5_000, readMs: 20 } });
    expect(await isDeferred(world, slow, randomUUID())).toBe(false);
  });

  test('law 8: one tenant’s opt-outs are not another’s', async () => {
    await using temporary = await openTemporaryStore();
    const optOuts = optOutsOver(temporary.store, () => 5, false);
    await optOuts.optOut('alice', 's');
    for (let other = 0; other < 70; other += 1) await optOuts.optOut('alice2', `s${other}`);
    expect(await optOuts.has('alice', 's', 1_000)).toBe(true);
    expect(await optOuts.has('alice2', 's', 1_000)).toBe(false);
  });
});

describe('SG3', () => {
  test.each(['/tool-search', '/tool-defer/probe'])(
    'SG3: closed, %s is unknown and nothing changes',
    async (path) => {
      await using world = await startWorld({ clientSignals: 'off' });
      await learn(world.gateway);
      const session = randomUUID();
      const body = JSON.stringify({ session, enable_tool_search: 'off' });
      const answer = await send(new URL(path, world.gateway.url), { headers: json, body });
      expect(answer.status).toBe(404);
      expect(await isDeferred(world, world.gateway, session)).toBe(true);
      expect((await world.gateway.stats()).tool_defer.asks).toBe(0);
    },
  );
});

describe('SG4', () => {
  const badIds = [
    '../../x',
    '/abs',
    '..\\x',
    'a\u0000b',
    '.',
    'CON',
    'con.json',
    'x'.repeat(300),
    'a/b',
    '%2e%2e%2f',
    '',
    ' ',
    'a b',
    'a\nb',
    'é',
    '\u{1f600}',
  ];

  test('SG4, case 135: an id that scoping would have to rewrite is a 400, and no file is made for it', async () => {
    await using world = await startWorld();
    const before = await readdir(world.folder);
    for (const session of badIds) {
      for (const flag of ['off', 'true']) {
        const answer = await signal(world.gateway, { session, enable_tool_search: flag });
        expect([session, answer.status]).toEqual([session, 400]);
        expect(answer.body.toString()).toContain('GATEWAY_BAD_REQUEST');
      }
    }
    expect(await readdir(world.folder)).toEqual(before);
    expect(await world.store.optOuts.load('local')).toEqual([]);
    for (const session of [randomUUID(), 'ses_01J8', 'a.b', 'user:1', 'x'.repeat(200)]) {
      expect((await signal(world.gateway, { session, enable_tool_search: 'off' })).status).toBe(204);
    }
  });

  test('SG4: a body that is no object with a session is a 400', async () => {
    await using world = await startWorld();
    const bodies = ['', '[]', 'null', '"x"', '{', '{"enable_tool_search":"off"}', '{"session":1}'];
    for (const body of bodies) expect((await signal(world.gateway, body)).status).toBe(400);
    for (const body of ['[]', '"x"', '{']) expect((await ask(world.gateway, body)).status).toBe(400);
    expect((await world.gateway.stats()).tool_defer.asks).toBe(0);
  });

  test('SG4: bodies are JSON of at most 4 KiB', async () => {
    await using world = await startWorld();
    const body = (length: number): string =>
      JSON.stringify({ session: 's', enable_tool_search: 'off' }).padEnd(length, ' ');
    expect((await signal(world.gateway, body(4_096))).status).toBe(204);
    expect((await signal(world.gateway, body(4_097))).status).toBe(413);
    const chunked = { ...json, 'transfer-encoding': 'chunked' };
    expect((await signal(world.gateway, body(100_000), chunked)).status).toBe(413);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      expect((await signal(world.gateway, body(100), { 'content-type': type })).status).toBe(415);
    }
    expect((await signal(world.gateway, body(100), {})).status).toBe(415);
    expect(
      (await signal(world.gateway, body(100), { 'content-type': 'application/json; charset=utf-8' })).status,
    ).toBe(204);
  });

  test('SG4: a web page of another origin, or of a name that was made to point here, can’t send one', async () => {
    await using world = await startWorld();
    const { host, port } = world.gateway.url;
    const own = { session: 's', enable_tool_search: 'off' };
    const refused = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:${Number(port) + 1}` },
      { host: `evil.example:${port}` },
      { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
    ];
    for (const headers of refused) {
      expect((await signal(world.gateway, own, { ...json, ...headers })).status).toBe(403);
      expect((await ask(world.gateway, '', { ...json, ...headers })).status).toBe(403);
    }
    expect(await world.store.optOuts.load('local')).toEqual([]);
    for (const headers of [{ origin: `http://${host}` }, { host: `localhost:${port}` }]) {
      expect((await signal(world.gateway, own, { ...json, ...headers })).status).toBe(204);
    }
  });

  test('SG4: off loopback a signal needs the admin token', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { adminToken: 'secret' });
    // Not every machine has another address than loopback, so the socket says that it has one.
    await using server = await startServer((request, response) => {
      Object.defineProperty(request.socket, 'localAddress', { value: '192.0.2.1' });
      gateway.gateway.listener(request, response);
    });
    const own = { session: 's', enable_tool_search: 'off' };
    expect((await signal(server, own)).status).toBe(401);
    expect((await ask(server)).status).toBe(401);
    expect((await signal(server, own, { ...json, authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await signal(server, own, { ...json, authorization: 'Bearer secret' })).status).toBe(204);
  });

  test('SG4: only POST is a signal; signals count as requests', async () => {
    await using world = await startWorld();
    const before = (await world.gateway.stats()).requests;
    await signal(world.gateway, { session: 's', enable_tool_search: 'off' });
    await ask(world.gateway);
    expect((await world.gateway.stats()).requests).toBe(before + 2);
    for (const method of ['GET', 'PUT', 'OPTIONS']) {
      const answer = await send(new URL('/tool-search', world.gateway.url), { method, headers: json });
      expect(answer.status).toBe(404);
    }
  });
});

/** Checks that reached the provider, by model. */
async function startCounted() {
  const checked: string[] = [];
  const simulator = await startSimulator({
    onRequest: (request, body) => {
      if (body.includes('quartermaster_check_')) checked.push(request.model ?? '');
    },
  });
  return { simulator, checked };
}

function openWith(
  simulator: RunningSimulator,
  over: Partial<GatewayOptions> & Pick<GatewayOptions, 'preset'>,
): Promise<RunningGateway> {
  return startGateway(simulator.url, { limits, ...over });
}

async function untilChecked(gateway: RunningGateway): Promise<void> {
  await until(async () => (await gateway.stats()).tool_defer.verdicts.length > 0);
}

describe('CH8', () => {
  test.each(['off', 'observe', 'ultrahigh'] as const)(
    'CH8, PR6: in %s an ask is answered 202 at once, makes no call itself, and is used up by the next Anthropic request',
    async (preset) => {
      const { simulator, checked } = await startCounted();
      await using _ = simulator;
      await using gateway = await openWith(simulator, { preset });
      const answer = await ask(gateway, '{}');
      expect(answer.status).toBe(202);
      expect(JSON.parse(answer.body.toString())).toEqual({ probe: 'asked' });
      expect(simulator.simulator.requests()).toEqual([]);
      const agent = createCodingAgent({ url: gateway.url, headers: { 'x-claude-code-session-id': '' } });
      await agent.turn(bashOnly);
      await untilChecked(gateway);
      await agent.turn(bashOnly);
      expect(checked).toEqual(['claude-opus-5-5']);
      expect((await gateway.stats()).tool_defer.asks).toBe(1);
    },
  );

  test.each(['off', 'observe'] as const)('CH8: without an ask nothing is checked in %s', async (preset) => {
    const { simulator, checked } = await startCounted();
    await using _ = simulator;
    await using gateway = await openWith(simulator, { preset });
    await createCodingAgent({ url: gateway.url }).turn(bashOnly);
    await gateway.gateway.close();
    expect(checked).toEqual([]);
  });

  test('CH8: the request that carries it goes as it came, whatever it is', async () => {
    const seen: Buffer[] = [];
    await using upstream = await startServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const body = Buffer.concat(chunks);
        if (!body.includes('quartermaster_check_')) seen.push(body);
        response.end('{}');
      });
    });
    await using gateway = await startGateway(upstream.url, { preset: 'off' });
    const bodies = [' {"model" : "claude-opus-5-5", "x": 1.0e0}\n', 'not json', '{"model":"claude-opus-5-5"'];
    for (const body of bodies) {
      await ask(gateway);
      await send(new URL('/anthropic/v1/messages', gateway.url), { headers: json, body });
    }
    expect(seen.map(String)).toEqual(bodies);
  });

  test('CH8: a request on another wire leaves the ask; one that is not for messages too', async () => {
    const { simulator, checked } = await startCounted();
    await using _ = simulator;
    await using gateway = await openWith(simulator, { preset: 'observe' });
    await ask(gateway);
    const body = JSON.stringify({ model: 'claude-opus-5-5', messages: [] });
    for (const path of ['/openai/v1/responses', '/openai/v1/chat/completions', '/gemini/v1beta/models/x']) {
      await send(new URL(path, gateway.url), { headers: json, body });
    }
    await send(new URL('/anthropic/v1/models', gateway.url), { method: 'GET' });
    expect(checked).toEqual([]);
    await createCodingAgent({ url: gateway.url }).turn(bashOnly);
    await untilChecked(gateway);
    expect(checked).toEqual(['claude-opus-5-5']);
  });

  test.each(['claude-nobody-knows', undefined])(
    'CH4, CH8: the model %j has no price and drops the ask',
    async (model) => {
      const { simulator, checked } = await startCounted();
      await using _ = simulator;
      await using gateway = await openWith(simulator, { preset: 'observe' });
      await ask(gateway);
      await send(new URL('/anthropic/v1/messages', gateway.url), {
        headers: json,
        body: JSON.stringify({ model }),
      });
      await createCodingAgent({ url: gateway.url }).turn(bashOnly);
      await gateway.gateway.close();
      expect(checked).toEqual([]);
      expect(gateway.lines.filter(({ message }) => message.includes('has no price'))).toHaveLength(1);
    },
  );

  test('CH6: an ask checks again although the verdict is young', async () => {
    const { simulator, checked } = await startCounted();
    await using _ = simulator;
    await using gateway = await openWith(simulator, { preset: 'observe' });
    for (const times of [1, 2]) {
      await ask(gateway);
      await createCodingAgent({ url: gateway.url }).turn(bashOnly);
      await until(async () => checked.length === times);
    }
    expect(checked).toHaveLength(2);
  });

  test('CH8: one ask per tenant, 10,000 tenants, the oldest out', () => {
    const asks = createAsks();
    for (let tenant = 0; tenant <= 10_000; tenant += 1) asks.add(`t${tenant}`);
    asks.add('t1');
    asks.add('t10001');
    expect([asks.has('t0'), asks.has('t1'), asks.has('t2'), asks.has('t10001')]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect([asks.take('t1'), asks.take('t1')]).toEqual([true, false]);
  });
});

describe('CH4', () => {
  test('CH4: a model that the price table lacks is never checked nor deferred for, and told once', async () => {
    const { simulator, checked } = await startCounted();
    await using _ = simulator;
    await using temporary = await openTemporaryStore();
    const known = {
      ...catalog,
      find: (id: string) => (id === 'claude-haiku-5-5' ? undefined : catalog.find(id)),
    };
    await using gateway = await openWith(simulator, {
      preset: 'ultrahigh',
      store: temporary.store,
      catalog: known,
    });
    for (let session = 0; session < 4; session += 1) {
      await createCodingAgent({ url: gateway.url, model: 'claude-haiku-5-5' }).turn(bashOnly);
    }
    await gateway.gateway.close();
    expect(checked).toEqual([]);
    const told = gateway.lines.filter(({ message }) => message.includes('does not know this model'));
    expect(told.map(({ facts }) => facts)).toEqual([{ model: 'claude-haiku-5-5' }]);
  });

  test('CH4: no price table is one log line', async () => {
    const { simulator } = await startCounted();
    await using _ = simulator;
    await using temporary = await openTemporaryStore();
    const none = { models: [], find: () => undefined };
    await using gateway = await openWith(simulator, {
      preset: 'ultrahigh',
      store: temporary.store,
      catalog: none,
    });
    await createCodingAgent({ url: gateway.url }).turn(bashOnly);
    expect(gateway.lines.filter(({ message }) => message.includes('no price table'))).toHaveLength(1);
  });
});

function optOutsOver(store: Pick<Store, 'optOuts'>, now: () => number, isSeen: boolean): OptOuts {
  return createOptOuts({ store: store.optOuts, isSeen: () => isSeen, clock: { now }, log: silent });
}

const claimAnew: Store['threads']['claim'] = async (record) => ({ type: 'won', record });
