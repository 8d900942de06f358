import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { BodyBlock, BodyMessage } from './support/anthropic-body.ts';
import { type CodingAgent, createCodingAgent } from './support/coding-agent.ts';
import { bodyOf, deferredIn, learn, openGateway } from './support/deferring.ts';
import { openTemporaryStore, type RunningGateway } from './support/gateway.ts';
import { createSdkAgent } from './support/sdk-agent.ts';
import { type ArrivedRequest, type RunningSimulator, startSimulator } from './support/simulated.ts';

const searchTypes = ['server_tool_use', 'tool_search_tool_result'];
const needsCalendar = '@@[{"tool":"Calendar","input":{"option_0":"ü✓"}},{"text":"done"}]@@';

/** A client that is not known to send searches back. */
function stranger(url: URL, over: Partial<Parameters<typeof createCodingAgent>[0]> = {}): CodingAgent {
  const session = over.session ?? randomUUID();
  const headers = { 'x-claude-code-session-id': '', 'x-session-id': session };
  return createCodingAgent({ url, session, ...over, headers });
}

function blocksOf(messages: readonly BodyMessage[]): readonly BodyBlock[] {
  return messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
}

function searchesIn(messages: readonly BodyMessage[]): readonly string[] {
  return blocksOf(messages).flatMap(({ type }) => (searchTypes.includes(type) ? [type] : []));
}

/** Each request's rendered prompt begins with the one before, and the provider took all of them. */
function expectSteady(requests: readonly ArrivedRequest[]): void {
  expect(requests.map(({ request }) => request.status)).toEqual(requests.map(() => 200));
  expect(new Set(requests.map((request) => JSON.stringify(bodyOf(request).tools))).size).toBe(1);
  for (const [index, { request }] of requests.slice(1).entries()) {
    const before = requests[index]?.request.renderedPrefixHashes ?? [];
    expect(request.renderedPrefixHashes.slice(0, before.length)).toEqual(before);
  }
}

async function openLearned(
  simulator: RunningSimulator,
  store: Parameters<typeof openGateway>[0],
): Promise<RunningGateway> {
  const gateway = await openGateway(store, simulator);
  await learn(gateway);
  return gateway;
}

describe('Q2: a client that is not known to send searches back', () => {
  test('Q2: never sees one, and its provider sees each where it was', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openLearned(simulator, temporary.store);
    const before = simulator.arrived.length;
    const agent = stranger(gateway.url);
    await agent.turn(needsCalendar);
    await agent.turn('and more');
    const requests = simulator.arrived.slice(before);
    expect(requests).toHaveLength(3);
    expect(deferredIn(requests[0])).toContain('Calendar');
    expect(searchesIn(agent.messages)).toEqual([]);
    expect(searchesIn(bodyOf(requests[0]).messages)).toEqual([]);
    for (const request of requests.slice(1))
      expect(searchesIn(bodyOf(request).messages)).toEqual(searchTypes);
    expectSteady(requests);
    expect((await gateway.stats()).tool_defer).toMatchObject({ stripped_answers: 1, unplaced_searches: 0 });
  });

  test.each([{ streams: true }, { streams: false }])(
    'Q2: the vendor’s SDK, streams: $streams, goes through many turns and sees no search',
    async ({ streams }) => {
      await using simulator = await startSimulator();
      await using temporary = await openTemporaryStore();
      await using gateway = await openLearned(simulator, temporary.store);
      const before = simulator.arrived.length;
      const agent = createSdkAgent(gateway.url, { streams });
      await agent.turn(needsCalendar);
      await agent.turn('@@[{"text":"I look","search":"planner","limit":1}]@@');
      await agent.turn(
        '@@[{"tools":[{"tool":"Notebook"},{"tool":"Monitor","input":{"a":[1,{}]}}]},{"text":"so"}]@@',
      );
      await agent.turn('thanks');
      const requests = simulator.arrived.slice(before);
      expect(requests).toHaveLength(6);
      expect(agent.seen.filter(({ type }) => type !== 'text' && type !== 'thinking')).toEqual(
        agent.seen.filter(({ type }) => type === 'tool_use'),
      );
      expect(agent.seen.length).toBeGreaterThan(8);
      expect(searchesIn(bodyOf(requests.at(-1)).messages)).toHaveLength(8);
      expectSteady(requests);
    },
  );

  test('Q2: what is put back has the provider’s own bytes', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openLearned(simulator, temporary.store);
    const shown = createCodingAgent({ url: gateway.url });
    const { content } = await shown.turn('@@[{"text":"I look","search":"planner ü","limit":1}]@@');
    const searches = content.filter(({ type }) => searchTypes.includes(type));
    const agent = stranger(gateway.url);
    await agent.turn('@@[{"text":"I look","search":"planner ü","limit":1}]@@');
    await agent.turn('go on');
    const anonymous = (json: string): string => json.replaceAll(/srvtoolu_\w+/g, 'srvtoolu');
    const printed = searches.map((block) => JSON.stringify(block)).join(',');
    expect(printed).toContain('planner ü');
    expect(anonymous(simulator.arrived.at(-1)?.body ?? '')).toContain(anonymous(printed));
  });

  test('Q2: with thoughts around its searches, which are bound to their places, is refused nothing', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openLearned(simulator, temporary.store);
    const before = simulator.arrived.length;
    const thought = { type: 'thinking', thinking: 'hm' };
    const name = 'tool_search_tool_bm25';
    const found = (tool: string): object => ({
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: tool }],
    });
    const search = (tool: string): readonly object[] => [
      { type: 'server_tool_use', name, input: { query: tool } },
      { type: 'tool_search_tool_result', content: found(tool) },
    ];
    const call = (tool: string): object => ({ type: 'tool_use', name: tool, input: {} });
    const around = [
      [
        thought,
        ...search('Calendar'),
        thought,
        call('Calendar'),
        ...search('Planner'),
        thought,
        call('Planner'),
      ],
      [
        thought,
        { type: 'text', text: 'so' },
        ...search('Monitor'),
        thought,
        { type: 'text', text: 'and so' },
      ],
    ];
    const agent = createSdkAgent(gateway.url);
    await agent.turn(`@@${JSON.stringify(around.map((blocks) => ({ blocks })))}@@`);
    await agent.turn('thanks');
    const requests = simulator.arrived.slice(before);
    expect(requests).toHaveLength(3);
    expect(searchesIn(bodyOf(requests.at(-1)).messages)).toHaveLength(6);
    expectSteady(requests);
    expect((await gateway.stats()).tool_defer.retries_400).toBe(0);
  });

  test('Q2: goes on after a restart, when nothing is left in memory', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    const gateway = await openLearned(simulator, temporary.store);
    const before = simulator.arrived.length;
    const agent = stranger(gateway.url);
    await agent.turn(needsCalendar);
    await agent.turn('@@[{"text":"I look","search":"planner","limit":1}]@@');
    await gateway[Symbol.asyncDispose]();
    await using restarted = await openGateway(temporary.store, simulator);
    const { session, messages } = agent;
    await stranger(restarted.url, { session, messages }).turn('go on');
    const requests = simulator.arrived.slice(before);
    expect(searchesIn(bodyOf(requests.at(-1)).messages)).toHaveLength(4);
    expectSteady(requests);
  });

  test('Q2: goes on with another gateway of the same store, request by request', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using one = await openLearned(simulator, temporary.store);
    await using two = await openGateway(temporary.store, simulator);
    const before = simulator.arrived.length;
    let agent = stranger(one.url);
    for (const [index, tool] of ['Calendar', 'Notebook', 'Planner', 'Monitor'].entries()) {
      const { session, messages } = agent;
      agent = stranger((index % 2 === 0 ? one : two).url, { session, messages });
      await agent.turn(`@@[{"tool":"${tool}","input":{}},{"text":"done"}]@@`);
    }
    const requests = simulator.arrived.slice(before);
    expect(searchesIn(bodyOf(requests.at(-1)).messages)).toHaveLength(8);
    expectSteady(requests);
  });

  test('Q2, O5: a fork under another session is given back what its origin searched for', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openLearned(simulator, temporary.store);
    const before = simulator.arrived.length;
    const agent = stranger(gateway.url);
    await agent.turn(needsCalendar);
    await agent.turn('@@[{"text":"I look","search":"planner","limit":1}]@@');
    await stranger(gateway.url, { messages: agent.messages }).turn('another way');
    const requests = simulator.arrived.slice(before);
    expect(searchesIn(bodyOf(requests.at(-1)).messages)).toHaveLength(4);
    expectSteady(requests);
  });

  test('Q2: a history that was replaced is given nothing back, and nothing is made up', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openLearned(simulator, temporary.store);
    const agent = stranger(gateway.url);
    await agent.turn(needsCalendar);
    const compacted = [
      { role: 'user', content: 'This is what happened so far.' },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ];
    const after = stranger(gateway.url, { session: agent.session, messages: compacted });
    await after.turn('go on');
    const last = simulator.arrived.at(-1);
    expect(last?.request.status).toBe(200);
    expect(searchesIn(bodyOf(last).messages)).toEqual([]);
    expect((await gateway.stats()).tool_defer).toMatchObject({ unplaced_searches: 0, retries_400: 0 });
  });
});

describe('Q2: a client that sends searches back', () => {
  test.each([
    { of: 'behind a text', blocks: [{ type: 'text', text: 'I look' }] },
    { of: 'alone', blocks: [] },
  ])('Q2: goes on from one that the output’s limit cut off, $of', async ({ blocks }) => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openLearned(simulator, temporary.store);
    const before = simulator.arrived.length;
    const search = { type: 'server_tool_use', name: 'tool_search_tool_bm25', input: { query: 'Calendar' } };
    const agent = createCodingAgent({ url: gateway.url });
    await agent.turn(`@@${JSON.stringify([{ blocks: [...blocks, search], stop: 'max_tokens' }])}@@`);
    expect(searchesIn(agent.messages)).toEqual(['server_tool_use']);
    for (const prompt of ['go on', needsCalendar, 'thanks']) {
      expect(await agent.turn(prompt)).toMatchObject({ status: 200 });
    }
    const requests = simulator.arrived.slice(before);
    expect(searchesIn(bodyOf(requests.at(-1)).messages)).toEqual([...searchTypes, ...searchTypes]);
    expectSteady(requests);
    // A title, in a side request without tools; its thinking would be bound to other ones.
    const said = agent.messages.map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : content.filter(({ type }) => type !== 'thinking'),
    }));
    const asking = createCodingAgent({ url: gateway.url, session: agent.session, tools: [] });
    const title = await asking.request([...said, { role: 'user', content: 'A title, please.' }]);
    expect(title.status).toBe(200);
    expect((await gateway.stats()).tool_defer.retries_400).toBe(0);
  });
});
