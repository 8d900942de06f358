import { describe, expect, test } from 'vitest';
import { danglingReferences, illegalitiesOf } from './laws/additions.ts';
import type { BodyMessage, BodyTool } from './support/anthropic-body.ts';
import { tool } from './support/anthropic-body.ts';
import { codingTools, createCodingAgent, heavyTool } from './support/coding-agent.ts';
import { bashOnly, bodyOf, deferredIn, learn, openGateway, requestsOf } from './support/deferring.ts';
import { openTemporaryStore } from './support/gateway.ts';
import { startSimulator } from './support/simulated.ts';

const needsCalendar = '@@[{"tool":"Calendar","input":{}},{"text":"done"}]@@';
const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'k' };

/** A gateway before a conversation that found `Calendar` by search, and whose client is shown searches. */
async function openFound() {
  const simulator = await startSimulator();
  const temporary = await openTemporaryStore();
  const gateway = await openGateway(temporary.store, simulator);
  await learn(gateway);
  const agent = createCodingAgent({ url: gateway.url });
  await agent.turn(needsCalendar);
  const before = simulator.arrived.length;
  return {
    simulator,
    temporary,
    gateway,
    agent,
    arrived: () => simulator.arrived.slice(before),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
    },
  };
}

/** Without thinking, which the request's own change of tools would break. */
function unthinking(messages: readonly BodyMessage[]): BodyMessage[] {
  return messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.filter(({ type }) => type !== 'thinking'),
  }));
}

describe('Q3: a tool reference of the transcript', () => {
  test('Q3: resolves where the client declares the tool no more: its definition is there again, deferred', async () => {
    await using world = await openFound();
    const { agent, gateway } = world;
    const fewer = codingTools.filter(({ name }) => name !== 'Calendar');
    const { session, messages } = agent;
    await createCodingAgent({ url: gateway.url, session, messages, tools: fewer }).turn('go on');
    const [sent] = world.arrived();
    expect(sent?.request.status).toBe(200);
    expect(deferredIn(sent)).toContain('Calendar');
    const declared = bodyOf(sent).tools.find(({ name }) => name === 'Calendar');
    expect(declared).toEqual({ ...heavyTool('Calendar'), defer_loading: true });
    expect(bodyOf(sent).tools.at(-1)?.type).toBe('tool_search_tool_bm25_20251119');
    const hashes = requestsOf(world.simulator, agent).map(({ request }) => request.renderedPrefixHashes);
    expect(hashes[2]?.slice(0, hashes[1]?.length)).toEqual(hashes[1]);
  });

  test('Q3: resolves over a restart, and in a fork', async () => {
    await using world = await openFound();
    await world.gateway.gateway.close();
    await using restarted = await openGateway(world.temporary.store, world.simulator);
    const fewer = codingTools.filter(({ name }) => name !== 'Calendar');
    const { messages } = world.agent;
    await createCodingAgent({ url: restarted.url, messages, tools: fewer }).turn('another way');
    const [sent] = world.arrived();
    expect(sent?.request.status).toBe(200);
    expect(danglingReferences(sent?.body ?? '')).toEqual([]);
  });

  test.each<readonly [string, readonly BodyTool[]]>([
    ['no tools', []],
    ['a server tool only', [{ name: 'web_search', type: 'web_search_20260318' }]],
    ['other tools only', [tool('Bash')]],
  ])('Q3, Q5: resolves in a side request with %s, which stays no session', async (_, tools) => {
    await using world = await openFound();
    const decided = (await world.gateway.stats()).tool_defer.threads_decided;
    const messages = unthinking([...world.agent.messages, { role: 'user', content: 'A title, please.' }]);
    const response = await createCodingAgent({
      url: world.gateway.url,
      session: world.agent.session,
      tools,
    }).request(messages);
    expect(response.status).toBe(200);
    const [sent] = world.arrived();
    expect(danglingReferences(sent?.body ?? '')).toEqual([]);
    expect(illegalitiesOf(sent?.body ?? '')).toEqual([]);
    // Who declares no tool is not to be answered with a call.
    const choice = bodyOf(sent).tool_choice;
    expect(choice).toEqual(tools.length === 0 ? { type: 'none' } : undefined);
    const { tool_defer: counts } = await world.gateway.stats();
    expect(counts.threads_decided).toBe(decided);
  });

  test('Q3, Q5: resolves in a request to count tokens; any other such request goes as it came', async () => {
    await using world = await openFound();
    const url = new URL('/anthropic/v1/messages/count_tokens', world.gateway.url);
    const { messages } = world.agent;
    const count = (body: object): Promise<Response> =>
      fetch(url, { method: 'POST', headers, body: JSON.stringify({ model: 'claude-opus-5-5', ...body }) });
    const plain = { messages: [{ role: 'user', content: 'hi' }], tools: codingTools };
    const asked = unthinking([...messages, { role: 'user', content: 'x' }]);
    for (const body of [{ messages: asked, tools: [tool('Bash')] }, plain]) {
      expect((await count(body)).status).toBe(200);
    }
    const [resolved, asItCame] = world.arrived();
    expect(deferredIn(resolved)).toEqual(['Calendar']);
    expect(asItCame?.body).toBe(JSON.stringify({ model: 'claude-opus-5-5', ...plain }));
  });

  test('Q3: of nobody’s record is left as it is, and the provider’s answer is the client’s', async () => {
    await using world = await openFound();
    const messages = JSON.parse(
      JSON.stringify(unthinking([...world.agent.messages, { role: 'user', content: 'x' }])).replaceAll(
        'srvtoolu_',
        'srvtoolu_other',
      ),
    ) as BodyMessage[];
    const response = await createCodingAgent({ url: world.gateway.url, tools: [] }).request(messages);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("Tool reference 'Calendar' not found");
    expect(world.arrived()).toHaveLength(1);
  });

  test('Q3, RF1: a side request that the provider refuses all the same goes once more as it came', async () => {
    await using world = await openFound();
    const messages = unthinking([...world.agent.messages, { role: 'assistant', content: 'prefilled' }]);
    const response = await createCodingAgent({ url: world.gateway.url, tools: [] }).request(messages);
    expect(response.status).toBe(400);
    const [resolved, original] = world.arrived();
    expect(world.arrived()).toHaveLength(2);
    expect(resolved?.body).not.toBe(original?.body);
    expect(bodyOf(original).tools).toEqual([]);
  });
});

describe('Q1: a client that already defers', () => {
  const placeholder: BodyTool = { ...tool('DeferredToolPlaceholder'), defer_loading: true };

  test('Q1: keeps what it deferred as it is; the rule applies to what it sends in full', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    const tools = [
      ...codingTools,
      heavyTool('ToolSearch'),
      { ...heavyTool('Held'), defer_loading: true },
      placeholder,
    ];
    await learn(gateway, { tools });
    const agent = createCodingAgent({ url: gateway.url, tools });
    await agent.turn(bashOnly);
    const sent = bodyOf(requestsOf(simulator, agent)[0]);
    const flagged = (name: string): boolean | undefined =>
      sent.tools.find((entry) => entry.name === name)?.defer_loading;
    expect([flagged('Calendar'), flagged('ToolSearch'), flagged('Held')]).toEqual([true, undefined, true]);
    const told = JSON.stringify(sent.messages);
    expect([told.includes('Calendar'), told.includes('Held')]).toEqual([true, false]);
    for (const name of ['Held', 'ToolSearch', 'DeferredToolPlaceholder']) {
      expect(sent.tools.find((entry) => entry.name === name)).toEqual(
        tools.find((entry) => entry.name === name),
      );
    }
  });

  test('Q1, Q2: with a search tool of the provider’s asked for what it finds, and is shown it', async () => {
    await using simulator = await startSimulator();
    await using temporary = await openTemporaryStore();
    await using gateway = await openGateway(temporary.store, simulator);
    const own: BodyTool = { name: 'tool_search_tool_regex', type: 'tool_search_tool_regex_20251119' };
    const tools = [...codingTools, own];
    const stranger = { headers: { 'x-claude-code-session-id': '' }, tools };
    await learn(gateway, { tools });
    const agent = createCodingAgent({ url: gateway.url, ...stranger });
    const before = simulator.arrived.length;
    await agent.turn(needsCalendar);
    const requests = simulator.arrived.slice(before);
    expect(deferredIn(requests[0])).toContain('Calendar');
    expect(JSON.stringify(agent.messages)).toContain('tool_search_tool_result');
    expect(requests.map(({ request }) => request.status)).toEqual([200, 200]);
    expect(bodyOf(requests[1]).messages.length).toBe(bodyOf(requests[0]).messages.length + 2);
  });
});
