import { randomUUID } from 'node:crypto';
import type { Store } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import { parseDecision } from '../src/threads/decision.ts';
import { callApi, setAccount } from './support/account.ts';
import { codingTools, createCodingAgent, heavyTool } from './support/coding-agent.ts';
import {
  bashOnly,
  bodyOf,
  deferredIn,
  learn,
  openGateway,
  requestsOf,
  toolsBytes,
} from './support/deferring.ts';
import { openTemporaryStore, type RunningGateway } from './support/gateway.ts';
import { type ArrivedRequest, type RunningSimulator, startSimulator } from './support/simulated.ts';

/** Without bound thinking, so that a prefix may move in mid-thread. */
const unbound = { model: 'claude-opus-4-8' } as const;
const stranger = { headers: { 'x-claude-code-session-id': '' } } as const;
const remove = ['Planner', 'mcp__crm'];

const namesIn = (arrived: ArrivedRequest | undefined): string[] =>
  bodyOf(arrived).tools.map(({ name }) => name);
const removedIn = (arrived: ArrivedRequest | undefined): string[] =>
  codingTools.map(({ name }) => name).filter((name) => !namesIn(arrived).includes(name));
const removed = ['Planner', 'mcp__crm__find', 'mcp__crm__merge'];

async function firstRequest(
  gateway: RunningGateway,
  simulator: RunningSimulator,
  over: object = {},
): Promise<ArrivedRequest | undefined> {
  const before = simulator.arrived.length;
  await createCodingAgent({ url: gateway.url, ...over }).turn(bashOnly);
  return simulator.arrived[before];
}

describe('the presets', () => {
  test.each([
    { preset: 'off', removes: false, defers: false },
    { preset: 'observe', removes: false, defers: false },
    { preset: 'xhigh', removes: true, defers: false },
    { preset: 'ultrahigh', removes: true, defers: true },
  ] as const)('PR1: $preset removes: $removes, defers: $defers', async ({ preset, removes, defers }) => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using teacher = await openGateway(temporary.store, simulator);
    await learn(teacher);
    await teacher.gateway.close();
    await using gateway = await openGateway(temporary.store, simulator, { preset, remove });
    const arrived = await firstRequest(gateway, simulator);
    expect(removedIn(arrived)).toEqual(removes ? removed : []);
    expect(deferredIn(arrived)).toEqual(defers ? ['Calendar', 'Notebook', 'Monitor'] : []);
    expect(arrived?.request.status).toBe(200);
  });

  test('PR2: defer: off switches deferral off and nothing else', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    await setAccount(gateway, { toolfilter: { defer: 'off', remove } });
    const arrived = await firstRequest(gateway, simulator);
    expect(deferredIn(arrived)).toEqual([]);
    expect(removedIn(arrived)).toEqual(removed);
  });

  test('RU4, PR2: what the account keeps is not deferred in new threads', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    await setAccount(gateway, { toolfilter: { keep: ['Calendar', 'mcp__crm'] } });
    expect(deferredIn(await firstRequest(gateway, simulator))).toEqual(['Notebook', 'Monitor', 'Planner']);
  });
});

describe('removal', () => {
  test('PR4: is the same in every request of the thread, over a restart with another list too', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn(bashOnly);
    await setAccount(gateway, { toolfilter: { remove: ['Clock'] } });
    await agent.turn(bashOnly);
    await gateway.gateway.close();
    await using restarted = await openGateway(temporary.store, simulator, { preset: 'xhigh' });
    const { session, messages } = agent;
    await createCodingAgent({ url: restarted.url, session, messages }).turn(bashOnly);
    const requests = requestsOf(simulator, agent);
    expect(requests).toHaveLength(6);
    expect(new Set(requests.map(toolsBytes)).size).toBe(1);
    expect(requests.map(({ request }) => request.status)).toEqual(requests.map(() => 200));
    expect(removedIn(requests[0])).toEqual(removed);
    expect(removedIn(await firstRequest(restarted, simulator))).toEqual(['Clock']);
  });

  test('law 4: the record that names what is removed is in the store before the request leaves', async () => {
    await using temporary = await openTemporaryStore();
    const decided: unknown[] = [];
    const session = randomUUID();
    await using simulator = await startSimulator({
      onRequest: () => {
        const reading = temporary.store.threads.read({ tenant: 'local', session, agent: 'main' });
        decided.push(reading.then((record) => parseDecision(record?.decision ?? '')));
      },
    });
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    await createCodingAgent({ url: gateway.url, session }).turn('hello');
    const [decision] = await Promise.all(decided);
    expect(decision).toMatchObject({ type: 'remove', removal: { units: remove, tools: removed } });
  });

  test('O1: nothing is removed where the record is not confirmed in time', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const { threads } = temporary.store;
    const store: Store = {
      ...temporary.store,
      threads: {
        ...threads,
        claim: async ({ attempt }) => ({ type: 'unconfirmed', attempt }),
        settle: async () => {},
      },
    };
    await using gateway = await openGateway(store, simulator, { preset: 'xhigh', remove });
    expect(removedIn(await firstRequest(gateway, simulator))).toEqual([]);
    const { nothing_reasons: reasons } = (await gateway.stats()).tool_defer;
    expect(reasons).toEqual({ 'claim-unconfirmed': 1 });
  });

  test.each(['xhigh', 'ultrahigh'] as const)(
    'O1: nothing is removed in %s without a store',
    async (preset) => {
      await using simulator = await startSimulator();
      await using gateway = await openGateway(undefined, simulator, { preset, remove });
      expect(removedIn(await firstRequest(gateway, simulator))).toEqual([]);
      expect((await gateway.stats()).tool_defer.nothing_reasons).toEqual({ 'no-store': 1 });
      const warnings = gateway.lines.filter(({ level }) => level === 'warn');
      expect(warnings.map(({ message }) => message)).toEqual([
        expect.stringContaining('no store is configured'),
      ]);
    },
  );

  test('PR3: a tool that the client’s system message names stays, and one that only its user names does not', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    const named = await firstRequest(gateway, simulator, { folder: '/home/user/Planner' });
    expect(removedIn(named)).toEqual(['mcp__crm__find', 'mcp__crm__merge']);
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn('Planner');
    expect(removedIn(requestsOf(simulator, agent)[0])).toEqual(removed);
  });

  test('PR4: holds for any client, since none has to understand it', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    expect(removedIn(await firstRequest(gateway, simulator, stranger))).toEqual(removed);
  });

  test('PR4: a tool of a removed server that comes late is removed from its first sight', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn(bashOnly);
    const { session, messages } = agent;
    const late = [...codingTools, heavyTool('mcp__crm__late')];
    await createCodingAgent({ url: gateway.url, session, messages, tools: late }).turn('on');
    const requests = requestsOf(simulator, agent);
    expect(new Set(requests.map(toolsBytes)).size).toBe(1);
    // Its thinking is bound to the prefix, so a late tool that came through would be refused.
    expect(requests.map(({ request }) => request.status)).toEqual([200, 200, 200]);
  });

  test('PR4: any other late tool stays as the client sent it', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    const agent = createCodingAgent({ url: gateway.url, ...unbound });
    await agent.turn(bashOnly);
    const { session, messages } = agent;
    const late = [...codingTools, heavyTool('Latecomer')];
    await createCodingAgent({ url: gateway.url, session, messages, tools: late, ...unbound }).turn('on');
    expect(namesIn(simulator.arrived.at(-1))).toContain('Latecomer');
    expect(removedIn(simulator.arrived.at(-1))).toEqual(removed);
  });

  test('PR5: a thread that begins with the bypass header keeps every tool, for life', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    const headers = { 'x-quartermaster-bypass': 'true' };
    const bypassing = createCodingAgent({ url: gateway.url, headers });
    await bypassing.turn(bashOnly);
    const { session, messages } = bypassing;
    await createCodingAgent({ url: gateway.url, session, messages }).turn('on');
    expect(requestsOf(simulator, bypassing).flatMap(removedIn)).toEqual([]);
  });

  test('O5: a conversation with bound thinking that is older than the gateway loses no tool', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    const older = createCodingAgent({ url: simulator.url, path: '/v1/messages' });
    await older.turn(bashOnly);
    const { session, messages } = older;
    await createCodingAgent({ url: gateway.url, session, messages }).turn('go on');
    const last = requestsOf(simulator, older).at(-1);
    expect(last?.request.status).toBe(200);
    expect(removedIn(last)).toEqual([]);
    expect((await gateway.stats()).tool_defer.nothing_reasons).toEqual({ 'older-conversation': 1 });
  });

  test('O5: without bound thinking it loses what is listed, but for what it used', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    const older = createCodingAgent({ url: simulator.url, path: '/v1/messages', ...unbound });
    await older.turn('@@[{"tool":"Planner","input":{}},{"text":"done"}]@@');
    const { session, messages } = older;
    await createCodingAgent({ url: gateway.url, session, messages, ...unbound }).turn('go on');
    expect(removedIn(requestsOf(simulator, older).at(-1))).toEqual(['mcp__crm__find', 'mcp__crm__merge']);
  });
});

describe('O7: a setting never flips a live thread', () => {
  test.each(['off', 'observe', 'xhigh'] as const)(
    'O7: a deferred thread keeps its prefix when the preset becomes %s, also after a restart',
    async (preset) => {
      await using simulator = await startSimulator();
      await using temporary = await openTemporaryStore();
      await using gateway = await openGateway(temporary.store, simulator);
      await learn(gateway);
      const agent = createCodingAgent({ url: gateway.url });
      await agent.turn(bashOnly);
      await setAccount(gateway, { preset, toolfilter: { keep: ['Calendar'], defer: 'off' } });
      await agent.turn(bashOnly);
      await gateway.gateway.close();
      await using restarted = await openGateway(temporary.store, simulator);
      expect(restarted.gateway.preset()).toBe(preset);
      const { session, messages } = agent;
      await createCodingAgent({ url: restarted.url, session, messages }).turn(bashOnly);
      const requests = requestsOf(simulator, agent);
      expect(requests).toHaveLength(6);
      expect(new Set(requests.map(toolsBytes)).size).toBe(1);
      expect(deferredIn(requests.at(-1))).toContain('Calendar');
      expect(requests.map(({ request }) => request.status)).toEqual(requests.map(() => 200));
      expect(deferredIn(await firstRequest(restarted, simulator))).toEqual([]);
    },
  );

  test('O7: a thread that began in observe stays as it is when the preset becomes ultrahigh', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using teacher = await openGateway(temporary.store, simulator);
    await learn(teacher);
    await teacher.gateway.close();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'observe', remove });
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn(bashOnly);
    await setAccount(gateway, { preset: 'ultrahigh' });
    await agent.turn(bashOnly);
    const requests = requestsOf(simulator, agent);
    expect(requests.flatMap(deferredIn)).toEqual([]);
    expect(requests.flatMap(removedIn)).toEqual([]);
    const next = await firstRequest(gateway, simulator);
    expect(deferredIn(next)).not.toEqual([]);
    expect(removedIn(next)).toEqual(removed);
  });

  test('O7: a running conversation of an unrecognised client loses no tool to a new list', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const session = { 'x-session-id': randomUUID() };
    const client = { ...unbound, headers: { ...stranger.headers, ...session } };
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'xhigh' });
    const agent = createCodingAgent({ url: gateway.url, ...client });
    await agent.turn(bashOnly);
    await gateway.gateway.close();
    await using restarted = await openGateway(temporary.store, simulator, { preset: 'xhigh', remove });
    await createCodingAgent({ url: restarted.url, messages: agent.messages, ...client }).turn('go on');
    expect(removedIn(simulator.arrived.at(-1))).toEqual([]);
  });

  test('O7: in off nothing is read while no thread has a record, and nothing is kept of what is read', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator, { preset: 'off' });
    await firstRequest(gateway, simulator);
    expect((await gateway.stats()).tool_defer).toMatchObject({ threads_decided: 0, unchanged_reasons: {} });
    await setAccount(gateway, { preset: 'ultrahigh' });
    const live = createCodingAgent({ url: gateway.url });
    await live.turn(bashOnly);
    await setAccount(gateway, { preset: 'off' });
    await firstRequest(gateway, simulator);
    expect((await gateway.stats()).tool_defer.unchanged_reasons).toMatchObject({ 'deferral-off': 2 });
    await gateway.gateway.close();
    const sessions = (await temporary.store.history.load('local')).map(({ session }) => session);
    expect(sessions).toEqual([live.session]);
  });
});

describe('--now', () => {
  test('O7: ends the decisions of live threads, once and for good, and says what that costs', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway, unbound);
    const agent = createCodingAgent({ url: gateway.url, ...unbound });
    await agent.turn(bashOnly);
    await setAccount(gateway, { preset: 'observe' });
    const { body } = await callApi(gateway, 'POST', '/threads/end', {});
    expect(body).toEqual({
      threads: 1,
      spared: 0,
      active: 1,
      estimated_tokens: expect.any(Number),
    });
    expect(body['estimated_tokens']).toBeGreaterThan(1_000);
    await agent.turn(bashOnly);
    await gateway.gateway.close();
    await using restarted = await openGateway(temporary.store, simulator, { preset: 'observe' });
    const { session, messages } = agent;
    await createCodingAgent({ url: restarted.url, session, messages, ...unbound }).turn(bashOnly);
    const requests = requestsOf(simulator, agent);
    expect(requests.map((request) => deferredIn(request).length)).toEqual([6, 6, 0, 0, 0, 0]);
    expect(requests.map(({ request }) => request.status)).toEqual(requests.map(() => 200));
  });

  test('O7: threads are decided anew under the new preset, and then keep that decision', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway, unbound);
    const agent = createCodingAgent({ url: gateway.url, ...unbound });
    await agent.turn(bashOnly);
    await setAccount(gateway, { preset: 'xhigh', toolfilter: { remove } });
    await callApi(gateway, 'POST', '/threads/end', {});
    await agent.turn(bashOnly);
    await gateway.gateway.close();
    await using restarted = await openGateway(temporary.store, simulator);
    const { session, messages } = agent;
    await createCodingAgent({ url: restarted.url, session, messages, ...unbound }).turn(bashOnly);
    const requests = requestsOf(simulator, agent).slice(2);
    expect(requests.map(removedIn)).toEqual(requests.map(() => removed));
    expect(requests.flatMap(deferredIn)).toEqual([]);
    expect(new Set(requests.map(toolsBytes)).size).toBe(1);
  });

  test('O7: spares threads with bound thinking, whose provider would refuse every further request', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn(bashOnly);
    await setAccount(gateway, { preset: 'off' });
    expect((await callApi(gateway, 'POST', '/threads/end', {})).body).toMatchObject({
      threads: 0,
      spared: 1,
      estimated_tokens: 0,
    });
    await agent.turn(bashOnly);
    const requests = requestsOf(simulator, agent);
    expect(new Set(requests.map(toolsBytes)).size).toBe(1);
    expect(requests.map(({ request }) => request.status)).toEqual(requests.map(() => 200));
  });
});
