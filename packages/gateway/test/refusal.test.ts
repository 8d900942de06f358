import { gunzipSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { catalog } from '@quartermaster/catalog';
import type { Store } from '@quartermaster/store';
import { describe, expect, inject, test } from 'vitest';
import { outlineMessages } from '@quartermaster/wire';
import { readConversation } from '../src/conversation/read.ts';
import { createUpstream } from '../src/http/upstream.ts';
import type { Log } from '../src/index.ts';
import type { RefusedRound, Refusals } from '../src/refusal/refusals.ts';
import { sendRewritten } from '../src/refusal/resend.ts';
import { createTurnOffs, type TurnOffs } from '../src/refusal/turn-offs.ts';
import { labelOf } from '../src/refusal/wording.ts';
import type { EditDecision } from '../src/threads/decision.ts';
import { callApi, setAccount } from './support/account.ts';
import { type CodingAgent, createCodingAgent } from './support/coding-agent.ts';
import { bashOnly, bodyOf, deferredIn, learn, openGateway, requestsOf } from './support/deferring.ts';
import { answerWith, type Front, type SeenRequest, startFront } from './support/front.ts';
import { openTemporaryStore, type RunningGateway } from './support/gateway.ts';
import { send } from './support/raw-http.ts';
import { startServer } from './support/server.ts';
import { type RunningSimulator, startSimulator } from './support/simulated.ts';
import { until } from './support/until.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const dayMs = 86_400_000;
const isRewritten = ({ body }: Pick<SeenRequest, 'body'>): boolean => body.includes('"defer_loading":true');
const thinkingTurn = '@@[{"thinking":"hm","tool":"Bash","input":{}},{"thinking":"so","text":"done"}]@@';
let scripts = 0;
/** A prompt that the provider refuses so many times, and then answers. Its faults are counted by the script's text. */
const refused = (times: number, status = 400): string => {
  const fault = { fault: 'status', status, times, message: 'the provider says no' };
  return `@@${JSON.stringify([fault, { text: `done ${(scripts += 1)}` }])}@@`;
};

interface World extends AsyncDisposable {
  readonly simulator: RunningSimulator;
  readonly front: Front;
  readonly store: Store;
  readonly gateway: RunningGateway;
  agent(over?: Partial<Parameters<typeof createCodingAgent>[0]>): CodingAgent;
  /** Moves the gateway's clock. */
  pass(ms: number): void;
  open(over?: object): Promise<RunningGateway>;
}

/** A gateway that defers for new conversations, with a front before the simulated provider. */
async function startWorld(over: object = {}): Promise<World> {
  const simulator = await startSimulator();
  const front = await startFront(simulator.url);
  const temporary = await openTemporaryStore();
  let aheadMs = 0;
  const opened: RunningGateway[] = [];
  const open = async (more: object = {}): Promise<RunningGateway> => {
    const gateway = await openGateway(
      temporary.store,
      { ...simulator, url: front.url },
      {
        clock: { now: () => Date.now() + aheadMs },
        limits: { claimMs: 5_000, readMs: 5_000 },
        ...over,
        ...more,
      },
    );
    opened.push(gateway);
    return gateway;
  };
  const gateway = await open();
  await learn(gateway);
  return {
    simulator,
    front,
    store: temporary.store,
    gateway,
    agent: (more = {}) => createCodingAgent({ url: gateway.url, ...more }),
    pass: (ms) => {
      aheadMs += ms;
    },
    open,
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each[Symbol.asyncDispose]();
      await front[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

const statsOf = async (gateway: RunningGateway) => (await gateway.stats()).tool_defer;

/** What the front saw of a session since `from`. */
const seenOf = ({ front }: World, { session }: CodingAgent, from = 0): readonly SeenRequest[] =>
  front.seen.slice(from).filter(({ headers }) => headers['x-claude-code-session-id'] === session);

describe('RF1', () => {
  test.each([400, 422])(
    'RF1: a %i to a rewritten request never reaches the client; the original is sent once',
    async (status) => {
      await using world = await startWorld();
      const agent = world.agent();
      const answer = await agent.turn(refused(1, status));
      expect(answer.status).toBe(200);
      const [first, second, ...rest] = requestsOf(world.simulator, agent);
      expect([first?.request.status, second?.request.status]).toEqual([status, 200]);
      expect(deferredIn(first)).not.toEqual([]);
      expect(deferredIn(second)).toEqual([]);
      expect(rest).toEqual([]);
    },
  );

  test('RF1: the original goes as it came, in the client’s own encoding and with its own headers', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    await agent.turn('hello');
    const body = gzipSync(JSON.stringify(originalOf(seenOf(world, agent)[0])));
    world.front.intercept = (seen) => (isRewritten(seen) ? answerWith(400, 'no') : undefined);
    const headers = Object.entries({
      'content-type': 'application/json',
      'Content-Encoding': 'gzip',
      'anthropic-version': '2023-06-01',
      'X-Api-Key': 'sk-test',
      'x-claude-code-session-id': agent.session,
      'anthropic-beta': 'b',
      'content-length': String(body.length),
    }).flat();
    const from = world.front.seen.length;
    const answer = await send(new URL('/anthropic/v1/messages?beta=true', world.gateway.url), {
      headers,
      body,
    });
    expect(answer.status).toBe(200);
    const [first, second] = seenOf(world, agent, from);
    expect(first?.headers['content-encoding']).toBeUndefined();
    expect(second?.url).toBe('/v1/messages?beta=true');
    expect(second?.body.equals(body)).toBe(true);
    expect(second?.rawHeaders.filter((_, at) => at > 1).slice(0, headers.length)).toEqual(headers);
    expect(JSON.parse(gunzipSync(second?.body ?? '').toString())).toHaveProperty('tools');
  });

  test('RF1: a refusal’s body is read to 16 KiB at most and closed', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    const closed = Promise.withResolvers<void>();
    let written = 0;
    world.front.intercept = (seen) =>
      isRewritten(seen)
        ? (response) => {
            response.once('close', () => closed.resolve());
            response.writeHead(400);
            const write = (): void => {
              if (response.destroyed) return;
              written += 1024;
              if (response.write(Buffer.alloc(1024, 'x'))) setImmediate(write);
              else response.once('drain', write);
            };
            write();
          }
        : undefined;
    expect((await agent.turn('hello')).status).toBe(200);
    await closed.promise;
    expect(written).toBeLessThan(8 * 1024 * 1024);
  });

  test('RF1: a refusal whose body never comes does not hold the client up', async () => {
    await using world = await startWorld();
    world.front.intercept = (seen) =>
      isRewritten(seen) ? (response) => response.writeHead(400).flushHeaders() : undefined;
    expect((await world.agent().turn('hello')).status).toBe(200);
  });

  test('RF1: a request that we did not change is never sent twice', async () => {
    await using world = await startWorld();
    const agent = world.agent({ headers: { 'x-quartermaster-bypass': 'true' } });
    const answer = await agent.turn(refused(1));
    expect(answer).toMatchObject({ status: 400, error: 'the provider says no' });
    expect(seenOf(world, agent)).toHaveLength(1);
    expect(await statsOf(world.gateway)).toMatchObject({ retries_400: 0, turned_off: 0 });
  });

  test.each([401, 403, 404, 413, 429, 500, 529])(
    'RF1: a %i to a rewritten request passes as it is',
    async (status) => {
      await using world = await startWorld();
      const agent = world.agent();
      world.front.intercept = () =>
        answerWith(status, '{"own":"answer"}', { 'x-own': 'yes', 'retry-after': '3' });
      const request = await fetchAs(world, agent);
      expect(request.status).toBe(status);
      expect(request.headers.get('retry-after')).toBe('3');
      expect(await request.text()).toBe('{"own":"answer"}');
      expect(seenOf(world, agent)).toHaveLength(1);
    },
  );

  test('FA2: the answer to a rewritten request streams through, and that to the original that follows a refusal too', async () => {
    await using world = await startWorld();
    for (const isFirstRefused of [false, true]) {
      const agent = world.agent();
      const read = Promise.withResolvers<void>();
      world.front.intercept = (seen) => (response) => {
        if (isFirstRefused && isRewritten(seen)) return void response.writeHead(400).end();
        response.writeHead(200).write('first');
        void read.promise.then(() => response.end('last'));
      };
      const reader = (await fetchAs(world, agent)).body?.getReader();
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
      read.resolve();
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last');
      expect(seenOf(world, agent)).toHaveLength(isFirstRefused ? 2 : 1);
    }
  });

  test('FA3: an original whose refusal is cut off is cut off for the client too', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    await agent.turn(thinkingTurn);
    world.front.intercept = (seen) => (response) => {
      response.writeHead(400, { 'content-length': '100' });
      if (isRewritten(seen)) response.end('x'.repeat(100));
      else response.write('half', () => response.destroy());
    };
    const answer = fetchAs(world, agent, { messages: agent.messages }).then((got) => got.text());
    await expect(answer).rejects.toThrow(/terminated|fetch failed/);
  });

  test('FA1: a client that leaves while its request is refused costs no second send', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    const reached = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    world.front.intercept = () => (response) => {
      response.once('close', () => closed.resolve());
      response.writeHead(400).flushHeaders();
      reached.resolve();
    };
    const left = new AbortController();
    const request = fetchAs(world, agent, { signal: left.signal }).catch(() => undefined);
    await reached.promise;
    left.abort();
    await request;
    await closed.promise;
    // Another request through the same gateway: what was under way for the first is over by then.
    world.front.intercept = undefined;
    await world.agent().turn('hello');
    expect(seenOf(world, agent)).toHaveLength(1);
  });
});

describe('RF2', () => {
  test('RF2: an original that succeeds turns deferral off for new threads of the model, for 24 h', async () => {
    await using world = await startWorld();
    await learn(world.gateway, { model: 'claude-haiku-5-5' });
    await world.agent().turn(refused(1));
    const next = world.agent();
    await next.turn(bashOnly);
    const otherModel = world.agent({ model: 'claude-haiku-5-5' });
    await otherModel.turn(bashOnly);
    expect(requestsOf(world.simulator, next).flatMap(deferredIn)).toEqual([]);
    expect(deferredIn(requestsOf(world.simulator, otherModel)[0])).not.toEqual([]);
    expect(await statsOf(world.gateway)).toMatchObject({
      retries_400: 1,
      turned_off: 1,
      nothing_reasons: { 'turned-off': 1 },
    });
    world.pass(dayMs - 60_000);
    await world.agent().turn(bashOnly);
    expect((await statsOf(world.gateway)).nothing_reasons).toMatchObject({ 'turned-off': 2 });
  });

  test('RF2: the provider’s wording decides nothing: any text will do, or none', async () => {
    await using world = await startWorld();
    for (const text of ['', '<html>', 'upstream says no', '{"error":{"message":"prompt is too long"}}']) {
      world.front.intercept = (seen) => (isRewritten(seen) ? answerWith(400, text) : undefined);
      await world.agent().turn(bashOnly);
      world.front.intercept = undefined;
      expect((await statsOf(world.gateway)).verdicts).toEqual([]);
      world.pass(dayMs);
      await learn(world.gateway, { sessions: 1 });
    }
    expect(await statsOf(world.gateway)).toMatchObject({ turned_off: 4 });
  });

  test('RF2: the thread is left alone for life, after a restart and in another gateway on the store too', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    await agent.turn(refused(1));
    const from = world.front.seen.length;
    await agent.turn(bashOnly);
    await world.gateway.gateway.close();
    world.pass(dayMs);
    const restarted = await world.open();
    await learn(restarted);
    await createCodingAgent({ ...agent, url: restarted.url }).turn('go on');
    const beside = await world.open();
    await createCodingAgent({ ...agent, url: beside.url }).turn('go on');
    const sent = seenOf(world, agent, from);
    expect(sent.length).toBeGreaterThan(3);
    expect(sent.filter(isRewritten)).toEqual([]);
  });

  test('RF2: another gateway that still defers the thread comes to the same by its own refusal', async () => {
    await using world = await startWorld();
    const model = 'claude-haiku-5-5';
    await learn(world.gateway, { model });
    const agent = world.agent({ model });
    await agent.turn(bashOnly);
    const beside = await world.open();
    const there = createCodingAgent({ ...agent, model, url: beside.url });
    await there.turn(bashOnly);
    world.simulator.become('refuses-deferral');
    expect((await agent.turn(bashOnly)).status).toBe(200);
    expect((await there.turn(bashOnly)).status).toBe(200);
    expect(await statsOf(beside)).toMatchObject({ turned_off: 1 });
    const record = await world.store.threads.read({ tenant: 'local', session: agent.session, agent: 'main' });
    await world.gateway.gateway.close();
    await beside.gateway.close();
    const last = await world.store.threads.read({ tenant: 'local', session: agent.session, agent: 'main' });
    expect(last?.attempt).toBe(record?.attempt);
    expect(JSON.parse(last?.decision ?? '')).toMatchObject({ type: 'nothing', reason: 'refused' });
  });

  test('RF2: an original whose bound thinking fits is no proof: its thread had gone as it came', async () => {
    await using world = await startWorld();
    const recorded = world.agent();
    await recorded.turn('hello');
    const { session } = recorded;
    // As where the client kept the answer of a gateway that could not read the record.
    const apart = createCodingAgent({ url: world.simulator.url, path: '/v1/messages', session });
    await apart.turn('hello');
    const answer = await world.agent({ session, messages: apart.messages }).turn('go on');
    expect(answer.status).toBe(200);
    const { retries_400: retries, turned_off: turnedOff, verdicts } = await statsOf(world.gateway);
    expect([retries, turnedOff, verdicts.length]).toEqual([1, 0, 1]);
    const fresh = world.agent();
    await fresh.turn('hello');
    expect(deferredIn(requestsOf(world.simulator, fresh)[0])).not.toEqual([]);
    await world.agent({ session, messages: apart.messages }).turn('and again');
    expect(deferredIn(requestsOf(world.simulator, apart).at(-1))).toEqual([]);
  });

  test('RF2, O5: a fork of the thread is left alone as well', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    await agent.turn(bashOnly);
    await agent.turn(bashOnly);
    world.simulator.become('refuses-deferral');
    await agent.turn('on');
    world.simulator.become('faithful');
    await world.gateway.gateway.close();
    world.pass(dayMs);
    const restarted = await world.open();
    await learn(restarted);
    const fork = createCodingAgent({ url: restarted.url, messages: agent.messages });
    await fork.turn('another way');
    expect(seenOf(world, fork).filter(isRewritten)).toEqual([]);
  });

  test('RF2: a restart keeps the turn-off', async () => {
    await using world = await startWorld();
    await world.agent().turn(refused(1));
    await world.gateway.gateway.close();
    const restarted = await world.open();
    await learnAnew(restarted);
    expect((await statsOf(restarted)).nothing_reasons).toEqual({ 'turned-off': 1 });
  });
});

describe('RF3', () => {
  test('RF3: an original that fails too is the client’s answer byte for byte, and deferral stays on', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    world.front.intercept = (seen) =>
      isRewritten(seen)
        ? answerWith(400, '{"rewritten":true}')
        : answerWith(422, ' {"original" : "é"}\n', { 'x-own': 'yes', 'request-id': 'req_2' });
    const answer = await fetchAs(world, agent);
    expect(answer.status).toBe(422);
    expect(answer.headers.get('x-own')).toBe('yes');
    expect(await answer.text()).toBe(' {"original" : "é"}\n');
    expect(seenOf(world, agent)).toHaveLength(2);
    world.front.intercept = undefined;
    const next = world.agent();
    for (const each of [agent, next]) {
      await each.turn(bashOnly);
      expect(deferredIn(requestsOf(world.simulator, each).at(-1))).not.toEqual([]);
    }
    expect(await statsOf(world.gateway)).toMatchObject({ retries_400: 1, turned_off: 0 });
  });

  test.each([401, 429, 503])('RF3: an original that is answered %i proves nothing', async (status) => {
    await using world = await startWorld();
    const agent = world.agent();
    world.front.intercept = (seen) => answerWith(isRewritten(seen) ? 400 : status, '{}');
    expect((await agent.turn('hello')).status).toBe(status);
    expect(await statsOf(world.gateway)).toMatchObject({ retries_400: 1, turned_off: 0 });
  });

  test.each([100, 64 * 1024])(
    'RF3: with bound thinking too, an answer of %i bytes comes whole',
    async (length) => {
      await using world = await startWorld();
      const agent = world.agent();
      await agent.turn(thinkingTurn);
      const body = JSON.stringify({ text: 'x'.repeat(length) });
      world.front.intercept = (seen) => answerWith(400, isRewritten(seen) ? 'no' : body);
      const answer = await fetchAs(world, agent, { messages: agent.messages });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toBe(body);
    },
  );
});

describe('RF4', () => {
  test('RF4: thinking bound to the deferred prefix is dropped with the control, and the thread goes on so', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    await agent.turn(thinkingTurn);
    const from = world.front.seen.length;
    const answer = await agent.turn(refused(1));
    expect(answer.status).toBe(200);
    const [rewritten, original, dropped, ...rest] = seenOf(world, agent, from);
    expect([rewritten, original, dropped].map((seen) => seen !== undefined && isRewritten(seen))).toEqual([
      true,
      false,
      false,
    ]);
    expect(rest).toEqual([]);
    const originalBody = JSON.parse(original?.body.toString() ?? '') as { thinking: object };
    expect(JSON.parse(dropped?.body.toString() ?? '')).toEqual({
      ...originalBody,
      thinking: { ...originalBody.thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    });
    expect(original?.headers['anthropic-beta']).toBeUndefined();
    expect(dropped?.headers['anthropic-beta']).toBe('thinking-binding-controls-2026-08-01');
    expect(world.gateway.lines.filter(({ message }) => message.includes('lost its prefix'))).toHaveLength(1);
    expect(await statsOf(world.gateway)).toMatchObject({ retries_400: 2, turned_off: 0, flips: 1 });
  });

  test('RF4: from then on each request of the thread carries the control and is sent once, after a restart too', async () => {
    await using world = await startWorld();
    const agent = world.agent({ headers: { 'anthropic-beta': 'own-beta' } });
    await agent.turn(thinkingTurn);
    await agent.turn(refused(1));
    let from = world.front.seen.length;
    await agent.turn(thinkingTurn);
    expect(seenOf(world, agent, from)).toHaveLength(2);
    await world.gateway.gateway.close();
    const restarted = await world.open();
    from = world.front.seen.length;
    const after = createCodingAgent({
      ...agent,
      url: restarted.url,
      headers: { 'anthropic-beta': 'own-beta' },
    });
    expect((await after.turn(bashOnly)).status).toBe(200);
    const sent = seenOf(world, agent, from);
    expect(sent).toHaveLength(2);
    for (const { headers, body } of sent) {
      expect(headers['anthropic-beta']).toBe('own-beta,thinking-binding-controls-2026-08-01');
      expect(body.toString()).toContain('"drop_block"');
    }
  });

  test('RF4: three sends at most; refused a third time the client sees the original’s own answer', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    await agent.turn(thinkingTurn);
    const text = '{"error":{"message":"Invalid `signature` in `thinking` block."}}';
    world.front.intercept = ({ headers, ...seen }) => {
      if (isRewritten(seen)) return answerWith(400, '1');
      return headers['anthropic-beta'] === undefined ? answerWith(400, text) : answerWith(400, '3');
    };
    const from = world.front.seen.length;
    const answer = await fetchAs(world, agent, { messages: agent.messages });
    expect(await answer.text()).toBe(text);
    expect(seenOf(world, agent, from)).toHaveLength(3);
    world.front.intercept = undefined;
    await agent.turn(bashOnly);
    expect(deferredIn(requestsOf(world.simulator, agent).at(-1))).not.toEqual([]);
  });

  test('RF4: an original that is refused for something else is sent once', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    await agent.turn(thinkingTurn);
    world.front.intercept = () => answerWith(400, '{"error":{"message":"prompt is too long"}}');
    const from = world.front.seen.length;
    await agent.turn('more');
    expect(seenOf(world, agent, from)).toHaveLength(2);
  });

  test('O3: after three answers "come again" an unreadable record goes as it came, then RF4’s way', async () => {
    await using world = await startWorld();
    const agent = world.agent();
    await agent.turn(thinkingTurn);
    await world.gateway.gateway.close();
    const { store } = world;
    const threads = { ...store.threads, read: () => Promise.reject(new Error('locked')) };
    const restarted = await world.open({ store: { ...store, threads } });
    const after = createCodingAgent({ ...agent, url: restarted.url });
    after.messages.push({ role: 'user', content: 'on' });
    const statuses: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      statuses.push(
        (await fetchAs({ ...world, gateway: restarted }, agent, { messages: after.messages })).status,
      );
    }
    expect(statuses).toEqual([503, 503, 503]);
    const from = world.front.seen.length;
    const answer = await after.turn('again');
    expect(answer.status).toBe(200);
    expect(seenOf(world, agent, from).map(({ body }) => body.includes('"drop_block"'))).toEqual([
      false,
      true,
    ]);
    await after.turn(bashOnly);
    expect(
      seenOf(world, agent, from)
        .slice(2)
        .map(({ body }) => body.includes('"drop_block"')),
    ).toEqual([true, true]);
    expect(await statsOf(restarted)).toMatchObject({ flips: 1, record_unreadable: 4, turned_off: 0 });
  });
});

describe('RF5', () => {
  test('RF5: other live threads keep their decision', async () => {
    await using world = await startWorld();
    const live = world.agent();
    await live.turn(bashOnly);
    await world.agent().turn(refused(1));
    await live.turn(bashOnly);
    expect(requestsOf(world.simulator, live).map((request) => deferredIn(request).length)).toEqual([
      6, 6, 6, 6,
    ]);
  });

  test('RF5, CH6: after a turn-off ends a fresh check comes first, whatever verdict there is', async () => {
    await using world = await startWorld();
    await world.agent().turn(refused(1));
    world.pass(dayMs / 2);
    // An ask brings a verdict while deferral is off.
    await fetch(new URL('/tool-defer/probe', world.gateway.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    await world.agent().turn(bashOnly);
    await until(async () => (await statsOf(world.gateway)).verdicts.length === 1);
    world.pass(dayMs / 2);
    const unchecked = world.agent();
    await unchecked.turn(bashOnly);
    expect((await statsOf(world.gateway)).nothing_reasons).toMatchObject({ unchecked: 2, 'turned-off': 1 });
    await learn(world.gateway, { sessions: 1 });
    await until(async () => {
      const agent = world.agent();
      await agent.turn(bashOnly);
      return deferredIn(requestsOf(world.simulator, agent)[0]).length > 0;
    });
    await unchecked.turn(bashOnly);
    expect(requestsOf(world.simulator, unchecked).flatMap(deferredIn)).toEqual([]);
  });
});

describe('a request with tools removed, and none deferred', () => {
  test('RF1, RF2: its original goes too, and the thread is left alone; deferral stays on, since it is not to blame', async () => {
    await using world = await startWorld({ preset: 'ultrahigh' });
    const change = { preset: 'xhigh', toolfilter: { remove: ['Planner'] } };
    await setAccount(world.gateway, change);
    const agent = world.agent();
    expect((await agent.turn(refused(1))).status).toBe(200);
    await agent.turn('more');
    const hasPlanner = requestsOf(world.simulator, agent).map(({ body }) =>
      body.includes('"name":"Planner"'),
    );
    expect(hasPlanner).toEqual([false, true, true]);
    expect(await statsOf(world.gateway)).toMatchObject({ retries_400: 1, turned_off: 0 });
    await setAccount(world.gateway, { preset: 'ultrahigh' });
    const next = world.agent();
    await next.turn('hello');
    expect(deferredIn(requestsOf(world.simulator, next)[0])).toContain('Calendar');
  });

  test('RF5, O7: what a refusal ended is not decided anew by --now', async () => {
    await using world = await startWorld();
    const agent = world.agent({ model: 'claude-opus-4-8' });
    await learn(world.gateway, { model: 'claude-opus-4-8', sessions: 1 });
    await agent.turn(refused(1));
    world.pass(1_000);
    await callApi(world.gateway, 'POST', '/threads/end', {});
    world.pass(2 * dayMs);
    await learn(world.gateway, { model: 'claude-opus-4-8', sessions: 2 });
    await agent.turn('more');
    const restarted = await world.open();
    const { session, messages } = agent;
    const resumed = { session, messages, model: 'claude-opus-4-8', url: restarted.url };
    await createCodingAgent(resumed).turn('and more');
    expect(requestsOf(world.simulator, agent).slice(1).flatMap(deferredIn)).toEqual([]);
  });
});

describe('RF6', () => {
  test('RF6: each retry is counted, of the turn-offs only the proofs, and each is told to the log with its label', async () => {
    await using world = await startWorld();
    world.front.intercept = (seen) =>
      isRewritten(seen)
        ? answerWith(400, '{"error":{"message":"tools.1.defer_loading: Extra inputs"}}')
        : undefined;
    await world.agent().turn('hello');
    await world.agent().turn('hello');
    world.pass(2 * dayMs);
    await learn(world.gateway, { sessions: 1 });
    world.front.intercept = () => answerWith(400, '{}');
    await world.agent().turn('hello');
    expect(await statsOf(world.gateway)).toMatchObject({ retries_400: 2, turned_off: 1 });
    const told = world.gateway.lines.filter(({ message }) => message.includes('sent once more'));
    expect(told.map(({ level, facts }) => [level, facts])).toEqual([
      ['warn', { model: 'claude-opus-5-5', status: 400, label: 'deferral' }],
      ['warn', { model: 'claude-opus-5-5', status: 400, label: 'other' }],
    ]);
  });

  test('RF6: each refused round is told to whoever keeps the record of the request', async () => {
    const rounds: RefusedRound[] = [];
    const body = Buffer.from(
      JSON.stringify({ model: 'claude-opus-5-5', messages: [], tools: [{ name: 'A', input_schema: {} }] }),
    );
    const read = await readConversation(
      { tenant: 'local', headers: {}, path: '/v1/messages', body },
      {
        catalog,
        nameProject: () => 'none',
        maxBodyBytes: 1_000,
        outliner: (_, text) => ({ read: outlineMessages(text) }),
      },
    );
    if (read.type !== 'conversation') throw new Error(read.type);
    await using upstream = await startServer((request, response) => {
      request.resume();
      response.writeHead(request.headers['content-length'] === '1' ? 422 : 200).end('defer_loading');
    });
    const proven: string[] = [];
    const refusals: Refusals = {
      countRetry: () => {},
      prove: ({ modelId }) => proven.push(modelId),
      losePrefix: () => {},
    };
    const target = { upstream: createUpstream(upstream.url), path: '/v1/messages', rawHeaders: [] };
    await using server = await startServer((request, response) => {
      const { conversation } = read;
      const exchange = { request, response, target, original: body, conversation, refusals };
      const decision = { type: 'defer' } as EditDecision;
      void sendRewritten(
        { ...exchange, onRefused: (round) => rounds.push(round) },
        Buffer.from('x'),
        decision,
      );
    });
    expect((await send(server.url)).status).toBe(200);
    expect(rounds).toEqual([{ status: 422, label: 'deferral' }]);
    expect(proven).toEqual(['claude-opus-5-5']);
  });

  test.each([
    ['messages.1.content.0: Invalid `signature`… set `thinking.block_binding.x`', 'bound-thinking'],
    ["Tool reference 'x' not found in available tools", 'deferral'],
    ['Unexpected value(s) `x` for the `anthropic-beta` header.', 'beta'],
    ["messages.1.role: Input should be 'user' or 'assistant'", 'system-message'],
    ['prompt is too long: 2 tokens > 1 maximum', 'too-long'],
    ['A maximum of 4 blocks with cache_control may be provided. Found 5.', 'marks'],
    ['', 'other'],
  ])('RF2: %j is labelled %s', (text, label) => {
    expect(labelOf(text)).toBe(label);
  });
});

type Step = 'ok' | 'thinking' | 'rewritten-refused' | 'both-refused' | 'restart';

test('RF1–RF4: no client sees a 400 that its own request would not have got, and none is sent more than three times', async () => {
  const steps = fc.array(
    fc.constantFrom<Step>('ok', 'thinking', 'rewritten-refused', 'both-refused', 'restart'),
    { minLength: 1, maxLength: 7 },
  );
  await using world = await startWorld();
  const refusal = answerWith(400, '{"error":{"message":"the provider says no"}}');
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      // So that each run begins with deferral on.
      world.front.intercept = undefined;
      world.pass(2 * dayMs);
      let gateway = await world.open();
      await learn(gateway);
      let agent = createCodingAgent({ url: gateway.url });
      await agent.turn(thinkingTurn);
      expect(deferredIn(requestsOf(world.simulator, agent)[0])).not.toEqual([]);
      for (const step of sequence) {
        if (step === 'restart') {
          await gateway.gateway.close();
          gateway = await world.open();
          agent = createCodingAgent({ ...agent, url: gateway.url });
          continue;
        }
        world.front.intercept = (seen) =>
          step === 'both-refused' || (step === 'rewritten-refused' && isRewritten(seen))
            ? refusal
            : undefined;
        const from = world.front.seen.length;
        const kept = [...agent.messages];
        const answer = await agent.turn(step === 'thinking' ? thinkingTurn : bashOnly);
        const sends = Map.groupBy(seenOf(world, agent, from), ({ body }) => turnsIn(body));
        for (const each of sends.values()) expect(each.length).toBeLessThanOrEqual(3);
        if (step === 'both-refused') {
          expect(answer).toMatchObject({ status: 400, error: 'the provider says no' });
          agent.messages.splice(0, Infinity, ...kept);
        } else {
          expect(answer.status).toBe(200);
        }
      }
      await gateway.gateway.close();
    }),
    { seed: inject('seed'), numRuns: 12 },
  );
});

/** Tells the requests of one turn apart. */
function turnsIn(body: Buffer): number {
  const { messages } = JSON.parse(body.toString()) as { messages: { role: string }[] };
  return messages.filter(({ role }) => role !== 'system').length;
}

/** Sessions of a gateway that passed its check at another time. */
async function learnAnew(gateway: RunningGateway): Promise<void> {
  await createCodingAgent({ url: gateway.url }).turn(bashOnly);
}

/** One request of the agent's next turn, with the answer as it came. */
function fetchAs(
  { gateway }: Pick<World, 'gateway'>,
  { session }: CodingAgent,
  over: { readonly signal?: AbortSignal; readonly messages?: CodingAgent['messages'] } = {},
): Promise<Response> {
  const agent = createCodingAgent({ url: gateway.url, session });
  return agent.request([...(over.messages ?? []), { role: 'user', content: 'hello' }], over.signal);
}

/** The request as the client wrote it, made from a rewritten one. */
function originalOf(seen: SeenRequest | undefined): object {
  const body = bodyOf({ body: seen?.body.toString() ?? '' } as Parameters<typeof bodyOf>[0]);
  const tools = body.tools.slice(0, -1).map(({ defer_loading: _, ...entry }) => entry);
  const messages = body.messages.map(({ role, content }) => ({
    role,
    content: role === 'system' && typeof content !== 'string' ? content.slice(0, -1) : content,
  }));
  return { ...body, tools, messages };
}

describe('turn-offs', () => {
  const turnOffsOver = (now: () => number, store?: Store['turnOffs']): TurnOffs =>
    createTurnOffs({ store, clock: { now }, log: silent });

  test('RF2: at most 256 per tenant, the oldest out, in memory and in the store', async () => {
    await using temporary = await openTemporaryStore();
    let nowMs = 0;
    const turnOffs = turnOffsOver(() => (nowMs += 1), temporary.store.turnOffs);
    turnOffs.start('bob', 'm0');
    for (let model = 0; model < 257; model += 1) turnOffs.start('alice', `m${model}`);
    await turnOffs.flush();
    const restarted = turnOffsOver(() => nowMs, temporary.store.turnOffs);
    for (const tenant of ['alice', 'bob']) await restarted.load(tenant);
    for (const each of [turnOffs, restarted]) {
      expect(each.isOn('alice', 'm0')).toBe(false);
      expect(each.isOn('alice', 'm1')).toBe(true);
      expect(each.isOn('bob', 'm0')).toBe(true);
    }
    expect(await temporary.store.turnOffs.load('alice')).toHaveLength(256);
  });

  test('RF2: a later proof starts it anew; RF5: it ends after 24 h', () => {
    let nowMs = 0;
    const turnOffs = turnOffsOver(() => nowMs);
    turnOffs.start('local', 'm');
    nowMs = 1_000;
    turnOffs.start('local', 'm');
    nowMs = dayMs + 999;
    expect([turnOffs.isOn('local', 'm'), turnOffs.endedAtMs('local', 'm')]).toEqual([true, -Infinity]);
    nowMs = dayMs + 1_000;
    expect([turnOffs.isOn('local', 'm'), turnOffs.endedAtMs('local', 'm')]).toEqual([false, nowMs]);
    nowMs += 5;
    expect(turnOffs.endedAtMs('local', 'm')).toBe(dayMs + 1_000);
    expect(turnOffs.isOn('local2', 'm')).toBe(false);
  });

  test('FA4: a clock that jumped back leaves none on for years', () => {
    let nowMs = 1_000 * dayMs;
    const turnOffs = turnOffsOver(() => nowMs);
    turnOffs.start('local', 'm');
    nowMs = 0;
    expect([turnOffs.isOn('local', 'm'), turnOffs.endedAtMs('local', 'm')]).toEqual([false, -Infinity]);
  });

  test('FA4, FA5: a failed write is done at the next flush; what ended long ago is forgotten', async () => {
    await using temporary = await openTemporaryStore();
    const stored = temporary.store.turnOffs;
    let isFailing = true;
    const save: typeof stored.save = (record) =>
      isFailing ? Promise.reject(new Error('full')) : stored.save(record);
    const turnOffs = turnOffsOver(() => 5, { ...stored, save });
    turnOffs.start('local', 'm');
    await turnOffs.flush();
    expect(await stored.load('local')).toEqual([]);
    isFailing = false;
    await turnOffs.flush();
    expect(await stored.load('local')).toEqual([{ tenant: 'local', model: 'm', startedAtMs: 5 }]);
    await turnOffs.forgetStartedBefore(6);
    expect(turnOffs.isOn('local', 'm')).toBe(false);
    expect(await stored.load('local')).toEqual([]);
  });
});
