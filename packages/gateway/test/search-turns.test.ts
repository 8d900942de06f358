import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { BodyBlock, BodyMessage } from './support/anthropic-body.ts';
import { type CodingAgent, createCodingAgent } from './support/coding-agent.ts';
import { bodyOf, deferredIn, learn, openGateway, toolsBytes } from './support/deferring.ts';
import { openTemporaryStore, type RunningGateway } from './support/gateway.ts';
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
  expect(new Set(requests.map(toolsBytes)).size).toBe(1);
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
  });
});
