import { randomUUID } from 'node:crypto';
import type { Store } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import type { BodyTool } from './support/anthropic-body.ts';
import { codingTools, createCodingAgent, heavyTool } from './support/coding-agent.ts';
import { bashOnly, deferredIn, learn, openGateway, requestsOf, toolsBytes } from './support/deferring.ts';
import { openTemporaryStore } from './support/gateway.ts';
import { startSimulator } from './support/simulated.ts';

const unused = ['Calendar', 'Notebook', 'Monitor', 'Planner', 'mcp__crm__find', 'mcp__crm__merge'];
const needsCalendar = '@@[{"tool":"Calendar","input":{}},{"text":"done"}]@@';
const unthought =
  '@@[{"blocks":[{"type":"tool_use","name":"Bash","input":{}}]},{"blocks":[{"type":"text","text":"done"}]}]@@';
/** Without bound thinking, so that what is decided in mid-thread may change the prefix. */
const unbound = { model: 'claude-opus-4-8' } as const;

/** The store as it would be if its thread records and openings were lost. */
function withRecordsOf(fresh: Store, store: Store): Store {
  return { ...store, threads: fresh.threads, openings: fresh.openings };
}

describe('O5', () => {
  test('O5: a fork under a new id sends the same prefix, also after a restart', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const parent = createCodingAgent({ url: gateway.url });
    await parent.turn(needsCalendar);
    await parent.turn('more');
    await gateway.gateway.close();
    await using restarted = await openGateway(temporary.store, simulator);
    const fork = createCodingAgent({ url: restarted.url, messages: parent.messages });
    await fork.turn('and elsewhere');
    const [forked] = requestsOf(simulator, fork);
    const [original] = requestsOf(simulator, parent);
    expect(forked && toolsBytes(forked)).toBe(original && toolsBytes(original));
    expect(forked?.request.status).toBe(200);
    expect(forked?.request.usage?.cache_read_input_tokens).toBeGreaterThan(0);
  });

  test('O5: a fork is known by how its origin began for the model that it spoke with last', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    const first = 'claude-opus-4-6';
    await learn(gateway, { model: first });
    await learn(gateway);
    // Claude Code states its environment to some models in the first prompt, and to others in a message of its own.
    const environment = '# Environment\n - Primary working directory: /home/user/project\n';
    const stated = { role: 'user', content: environment };
    const origin = createCodingAgent({ url: gateway.url, model: first, messages: [stated] });
    await origin.turn(unthought);
    const { session } = origin;
    const [, prompt, ...said] = origin.messages;
    if (prompt === undefined) throw new Error('the origin has said nothing');
    const messages = [prompt, { role: 'system', content: environment }, ...said];
    const switched = createCodingAgent({ url: gateway.url, session, messages });
    await switched.turn(bashOnly);
    await gateway.gateway.close();
    const fork = createCodingAgent({ url: gateway.url, messages: switched.messages });
    await fork.turn('and elsewhere');
    const [forked] = requestsOf(simulator, fork);
    expect(forked?.request.status).toBe(200);
    expect(deferredIn(forked)).toEqual(unused);
    expect(toolsBytes(forked)).toBe(toolsBytes(requestsOf(simulator, switched).at(-1)));
  });

  test('O5: a fork whose first answer tells nothing is known by the first that does', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const parent = createCodingAgent({ url: gateway.url });
    await parent.turn('@@[{"blocks":[{"type":"text","text":"said without a thought"}]}]@@');
    await parent.turn(bashOnly);
    await gateway.gateway.close();
    const fork = createCodingAgent({ url: gateway.url, messages: parent.messages });
    await fork.turn('and elsewhere');
    const [forked] = requestsOf(simulator, fork);
    const [original] = requestsOf(simulator, parent);
    expect(toolsBytes(forked)).toBe(toolsBytes(original));
    expect(forked?.request.status).toBe(200);
  });

  test('O5: a conversation with bound thinking that is older than the gateway is left alone', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const older = createCodingAgent({ url: new URL('/', simulator.url), path: '/v1/messages' });
    await older.turn(bashOnly);
    const arriving = createCodingAgent({
      url: gateway.url,
      session: older.session,
      messages: older.messages,
    });
    await arriving.turn('go on');
    expect(requestsOf(simulator, older).flatMap(deferredIn)).toEqual([]);
    expect((await gateway.stats()).tool_defer.nothing_reasons).toMatchObject({ 'older-conversation': 1 });
  });

  test('O5: without bound thinking it is decided as at a first request, by what its transcript used', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway, unbound);
    const older = createCodingAgent({ url: simulator.url, path: '/v1/messages', ...unbound });
    await older.turn(needsCalendar);
    const arriving = { session: older.session, messages: older.messages, ...unbound };
    await createCodingAgent({ url: gateway.url, ...arriving }).turn('go on');
    const deferred = deferredIn(requestsOf(simulator, older).at(-1));
    expect(deferred).toContain('Planner');
    expect(deferred).not.toContain('Calendar');
  });
});

test('FA4, O1: a ledger that can’t be written keeps no thread record from being settled at the end', async () => {
  await using simulator = await startSimulator();
  await using temporary = await openTemporaryStore();
  const { store } = temporary;
  const settled: string[] = [];
  let isOver = false;
  const gateway = await openGateway(
    {
      ...store,
      threads: {
        ...store.threads,
        claim: async ({ attempt }) => ({ type: 'unconfirmed', attempt }),
        settle: async ({ session }) => {
          if (!isOver) throw new Error('locked');
          settled.push(session);
        },
      },
      ledger: { ...store.ledger, saveCacheEntries: () => Promise.reject(new Error('locked')) },
    },
    simulator,
  );
  const agent = createCodingAgent({ url: gateway.url });
  await agent.turn(bashOnly);
  isOver = true;
  await gateway[Symbol.asyncDispose]();
  expect(settled).toEqual([agent.session]);
});

describe('O4', () => {
  test('O4: a lost record is made again from our own search turn, with every tool that it loaded', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway, unbound);
    const before = createCodingAgent({ url: gateway.url, ...unbound });
    await before.turn(needsCalendar);
    await gateway.gateway.close();
    await using fresh = await openTemporaryStore();
    await using bare = await openGateway(withRecordsOf(fresh.store, temporary.store), simulator);
    const resumed = { session: before.session, messages: before.messages, ...unbound };
    await createCodingAgent({ url: bare.url, ...resumed }).turn('go on');
    const requests = requestsOf(simulator, before);
    expect(requests.map(toolsBytes)).toEqual(requests.map(() => toolsBytes(requests[0])));
    expect(deferredIn(requests.at(-1))).toContain('Calendar');
    expect((await bare.stats()).tool_defer.rebuilds).toBe(1);
  });

  test('O4: with bound thinking the original is forwarded instead, and so it is without a passing verdict', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const bound = createCodingAgent({ url: gateway.url });
    await bound.turn(needsCalendar);
    await learn(gateway, unbound);
    const free = createCodingAgent({ url: gateway.url, ...unbound });
    await free.turn(needsCalendar);
    await gateway.gateway.close();
    await using fresh = await openTemporaryStore();
    const lost = withRecordsOf(fresh.store, temporary.store);
    await using bare = await openGateway({ ...lost, verdicts: fresh.store.verdicts }, simulator);
    for (const { session, messages } of [bound, free]) {
      const model = session === free.session ? unbound : {};
      await createCodingAgent({ url: bare.url, session, messages, ...model }).turn('go on');
      expect(deferredIn(simulator.arrived.at(-1))).toEqual([]);
    }
    const { rebuilds, nothing_reasons: reasons } = (await bare.stats()).tool_defer;
    expect(rebuilds).toBe(0);
    expect(reasons).toEqual({ 'older-conversation': 1, unchecked: 1 });
  });
});

describe('O9', () => {
  const dayMs = 86_400_000;

  test('O9: a unit that the rule only now allows waits a day, so that sessions share one prefix', async () => {
    let aheadMs = 0;
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const clock = { now: () => Date.now() + aheadMs };
    await using gateway = await openGateway(temporary.store, simulator, { clock });
    await createCodingAgent({ url: gateway.url, folder: '/other' }).turn(
      '@@[{"tool":"Planner","input":{}}]@@',
    );
    await learn(gateway, { sessions: 2 });
    const deferred: string[][] = [];
    for (const ms of [0, 0, 0, dayMs]) {
      aheadMs = ms;
      const agent = createCodingAgent({ url: gateway.url });
      await agent.turn(bashOnly);
      deferred.push(deferredIn(requestsOf(simulator, agent)[0]));
    }
    const [first, second, third, dayAfter] = deferred;
    expect(first).toContain('Calendar');
    expect(first).not.toContain('Planner');
    expect([second, third]).toEqual([first, first]);
    expect(dayAfter).toContain('Planner');
  });

  test('O9: a use takes the unit out of the plan at once, for a restart too', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    await createCodingAgent({ url: gateway.url, folder: '/p' }).turn(bashOnly);
    await createCodingAgent({ url: gateway.url, folder: '/elsewhere' }).turn(needsCalendar);
    // Three sessions later, and in a project that did not use it, RU2 and RU3 would allow the unit again.
    await learn(gateway, { folder: '/q' });
    await gateway.gateway.close();
    await using restarted = await openGateway(temporary.store, simulator);
    const [steady, fresh] = ['/p', '/new'].map((folder) => createCodingAgent({ url: restarted.url, folder }));
    await steady?.turn(bashOnly);
    await fresh?.turn(bashOnly);
    const firstOf = (agent: typeof fresh) => deferredIn(agent && requestsOf(simulator, agent)[0]);
    expect(firstOf(steady)).toContain('Planner');
    expect(firstOf(steady)).not.toContain('Calendar');
    expect(firstOf(fresh)).toContain('Calendar');
  });

  test('O9: a plan holds nothing that the rule forbids now', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    await createCodingAgent({ url: gateway.url }).turn(bashOnly);
    await using kept = await openGateway(temporary.store, simulator, { keep: ['Planner'] });
    await learn(kept);
    const agent = createCodingAgent({ url: kept.url });
    await agent.turn(bashOnly);
    expect(deferredIn(requestsOf(simulator, agent)[0])).toEqual(unused.filter((name) => name !== 'Planner'));
  });
});

describe('Q6', () => {
  test('Q6: a new tool of a deferred server is deferred from its first sight; any other stays', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const session = randomUUID();
    const agent = createCodingAgent({ url: gateway.url, session });
    await agent.turn(bashOnly);
    const late: readonly BodyTool[] = [...codingTools, heavyTool('mcp__crm__late'), heavyTool('Latecomer')];
    const before = simulator.arrived.length;
    await createCodingAgent({ url: gateway.url, session, messages: agent.messages, tools: late }).turn('on');
    // The client moved its own prefix, so this is refused for the thinking before it, and RF4 follows.
    const sent = simulator.arrived[before];
    expect(deferredIn(sent)).toContain('mcp__crm__late');
    expect(deferredIn(sent)).not.toContain('Latecomer');
  });
});

describe('a server that is lost in mid-thread, and found again', () => {
  const withoutServer = ['Bash', 'Read'].map(heavyTool);
  const server = ['mcp__crm__find', 'mcp__crm__merge'].map(heavyTool);
  const withServer = [...withoutServer, ...server];

  test.each([
    ['nobody needs it meanwhile', bashOnly],
    ['the model searches for it', '@@[{"tool":"quartermaster_placeholder","input":{}},{"text":"none"}]@@'],
    ['it was used before', bashOnly, '@@[{"tool":"mcp__crm__find","input":{}},{"text":"found"}]@@'],
  ])('law 3: moves no byte of the prefix where %s', async (_, meanwhile, before = bashOnly) => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway, { tools: withServer });
    const session = randomUUID();
    const { messages } = createCodingAgent({ url: gateway.url });
    const play = async (tools: readonly BodyTool[], prompt: string): Promise<void> => {
      const agent = createCodingAgent({ url: gateway.url, session, messages, tools });
      await agent.turn(prompt);
      messages.splice(0, messages.length, ...agent.messages);
    };
    await play(withServer, before);
    await play(withoutServer, meanwhile);
    await play(withServer, bashOnly);
    const requests = requestsOf(simulator, { session }).map(({ request }) => request);
    expect(requests.map(({ status }) => status)).toEqual(requests.map(() => 200));
    for (const [index, { renderedPrefixHashes: hashes }] of requests.entries()) {
      const earlier = requests[index - 1]?.renderedPrefixHashes ?? [];
      expect(hashes.slice(0, earlier.length)).toEqual(earlier);
    }
  });
});

describe('O8', () => {
  test('O8: a compaction keeps the session, and so its decision; a new session is decided anew', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn(needsCalendar);
    // As Claude Code goes on after /compact: a summary, its system message emptied, no thinking of before.
    const compacted = [
      { role: 'user', content: 'This is what happened so far.' },
      { role: 'system', content: [] },
      { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] },
    ];
    const after = createCodingAgent({ url: gateway.url, session: agent.session, messages: compacted });
    await after.turn('go on');
    const requests = requestsOf(simulator, agent);
    expect(requests.map(toolsBytes)).toEqual(requests.map(() => toolsBytes(requests[0])));
    expect(requests.map(({ request }) => request.status)).toEqual(requests.map(() => 200));
    const cleared = createCodingAgent({ url: gateway.url });
    await cleared.turn(bashOnly);
    expect(deferredIn(requestsOf(simulator, cleared)[0])).not.toContain('Calendar');
  });
});

describe('HI5', () => {
  test('HI5: the history of the account is loaded before the port opens: the first request is decided by it', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    await learn(gateway);
    await gateway.gateway.close();
    await using restarted = await openGateway(temporary.store, simulator);
    const agent = createCodingAgent({ url: restarted.url });
    await agent.turn(bashOnly);
    expect(deferredIn(requestsOf(simulator, agent)[0])).toEqual(unused);
  });
});
