import { describe, expect, test } from 'vitest';
import type { Body } from './support/anthropic-body.ts';
import { codingTools, createCodingAgent } from './support/coding-agent.ts';
import { bodyOf, learn, openGateway } from './support/deferring.ts';
import { answerWith, startFront } from './support/front.ts';
import { openTemporaryStore } from './support/gateway.ts';
import { createSdkAgent } from './support/sdk-agent.ts';
import { type ArrivedRequest, type RunningSimulator, startSimulator } from './support/simulated.ts';

const name = 'tool_search_tool_bm25';
const thinking = { type: 'thinking', thinking: 'where is it?' };

interface Searching {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly [key: string]: unknown;
}

function call(id: string): Searching {
  return { type: 'server_tool_use', id, name, input: { query: 'Calendar ü', limit: 1 } };
}

function result(id: string): Searching {
  const references = [{ type: 'tool_reference', tool_name: 'Calendar' }];
  const content = { type: 'tool_search_tool_search_result', tool_references: references };
  return { type: 'tool_search_tool_result', tool_use_id: id, content };
}

function script(...steps: readonly object[]): string {
  return `@@${JSON.stringify(steps)}@@`;
}

const text = (words: string): object => ({ type: 'text', text: words });

/** A turn that pauses after its search, and ends with the next answer. */
const paused = script(
  { blocks: [thinking, text('I look ü'), call('srvtoolu_1')], stop: 'pause_turn' },
  { blocks: [result('srvtoolu_1'), thinking, text('found')] },
);

/** One that ends with a search and nothing else. */
const searchOnly = script(
  { blocks: [thinking, call('srvtoolu_2'), result('srvtoolu_2')] },
  { blocks: [text('found')] },
);

/** One that ends with a search, of which nothing is left where the client's own request is answered. */
const lookingOnly = script({ search: 'planner', limit: 1 });

async function openWorld(given?: RunningSimulator, url?: URL) {
  const simulator = given ?? (await startSimulator());
  const temporary = await openTemporaryStore();
  const gateway = await openGateway(temporary.store, { ...simulator, url: url ?? simulator.url });
  await learn(gateway);
  const before = simulator.arrived.length;
  return {
    gateway,
    arrived: (): readonly ArrivedRequest[] => simulator.arrived.slice(before),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
    },
  };
}

/** The same before a provider that may answer otherwise. */
async function openRefusing() {
  const simulator = await startSimulator();
  const front = await startFront(simulator.url);
  const world = await openWorld(simulator, front.url);
  const before = front.seen.length;
  return {
    ...world,
    front,
    /** All that was sent to it. */
    sent: (): readonly Body[] =>
      front.seen.slice(before).map(({ body }) => JSON.parse(body.toString()) as Body),
    /** It answers so many requests to go on with a turn like this. */
    refuse(times: number, ...refusal: Parameters<typeof answerWith>) {
      let left = times;
      front.intercept = ({ body }) => {
        if (!isContinued(JSON.parse(body.toString()) as Body) || left === 0) return undefined;
        left -= 1;
        return answerWith(...refusal);
      };
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await front[Symbol.asyncDispose]();
    },
  };
}

function isContinued({ messages }: Body): boolean {
  return messages.at(-1)?.role === 'assistant';
}

const json = { 'content-type': 'application/json' };
const overloaded = '{"type":"error","error":{"type":"overloaded_error","message":"full"}}';
const unwanted = '{"type":"error","error":{"type":"invalid_request_error","message":"no more of this"}}';

/** Streams a turn as Claude Code does, and hands out its events. */
async function streamed(gateway: URL, prompt: string): Promise<readonly Record<string, unknown>[]> {
  const response = await fetch(new URL('/anthropic/v1/messages', gateway), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-test',
      'x-claude-code-session-id': crypto.randomUUID(),
    },
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 2_000,
      stream: true,
      thinking: { type: 'adaptive' },
      tools: codingTools,
      messages: [{ role: 'user', content: prompt }],
    }),
  });
  const events = (await response.text()).matchAll(/^data: (.*)$/gm);
  return [...events].map(([, data]) => JSON.parse(data ?? '') as Record<string, unknown>);
}

function sumOf(requests: readonly ArrivedRequest[], figure: string): number {
  return requests.reduce((sum, { request }) => sum + Number(request.usage?.[figure]), 0);
}

describe('Q4: a turn that the provider stops too early', () => {
  test.each([
    { of: 'paused', prompt: paused, streams: true },
    { of: 'paused', prompt: paused, streams: false },
    { of: 'of a search alone', prompt: searchOnly, streams: true },
    { of: 'of a search alone', prompt: searchOnly, streams: false },
  ])('Q4: $of, streams: $streams, is one whole turn for a program that sees no search', async (turn) => {
    await using world = await openWorld();
    const agent = createSdkAgent(world.gateway.url, turn);
    const message = await agent.turn(turn.prompt);
    expect(message.stop_reason).toBe('end_turn');
    expect(message.content.at(-1)).toMatchObject({ type: 'text', text: 'found' });
    expect(agent.seen.every(({ type }) => type === 'text' || type === 'thinking')).toBe(true);
    const requests = world.arrived();
    expect(requests).toHaveLength(2);
    for (const figure of ['input_tokens', 'output_tokens', 'cache_read_input_tokens'] as const) {
      expect(message.usage[figure]).toBe(sumOf(requests, figure));
    }
    await agent.turn('thanks');
    const [first, second, third] = world.arrived();
    expect(third?.request.error).toBe(null);
    const answered = bodyOf(third).messages.findLast(({ role }) => role === 'assistant');
    expect(JSON.stringify(answered?.content)).toContain('srvtoolu_');
    for (const [before, after] of [
      [first, second],
      [second, third],
    ]) {
      const hashes = before?.request.renderedPrefixHashes ?? [];
      expect(after?.request.renderedPrefixHashes.slice(0, hashes.length)).toEqual(hashes);
    }
    expect((await world.gateway.stats()).tool_defer).toMatchObject({ continuations: 1 });
  });

  test('Q4: is one message with one beginning, one end and consecutive indexes for a client that sees searches', async () => {
    await using world = await openWorld();
    const events = await streamed(world.gateway.url, paused);
    const of = (type: string) => events.filter((event) => event['type'] === type);
    expect(of('message_start')).toHaveLength(1);
    expect(of('message_stop')).toHaveLength(1);
    expect(of('content_block_start').map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(
      of('content_block_start').map((event) => (event['content_block'] as { type: string }).type),
    ).toEqual(['thinking', 'text', 'server_tool_use', 'tool_search_tool_result', 'thinking', 'text']);
    const [end] = of('message_delta') as { delta: object; usage: Record<string, unknown> }[];
    expect(of('message_delta')).toHaveLength(1);
    expect(end?.delta).toMatchObject({ stop_reason: 'end_turn' });
    const requests = world.arrived();
    expect(end?.usage['output_tokens']).toBe(sumOf(requests, 'output_tokens'));
    // The second answer samples twice, and says so; the first once.
    expect(end?.usage['iterations']).toHaveLength(3);
    expect(end?.usage['cache_creation']).toEqual({
      ephemeral_5m_input_tokens: 0,
      ephemeral_1h_input_tokens: 0,
    });
  });

  test.each(['', ' \n'])(
    'case 13: goes on without a text of nothing, %j, which the provider would refuse',
    async (blank) => {
      await using world = await openWorld();
      const blocks = [text(blank), call('srvtoolu_1'), result('srvtoolu_1'), text(blank)];
      for (const streams of [true, false]) {
        const agent = createSdkAgent(world.gateway.url, { streams });
        const { content } = await agent.turn(script({ blocks }, { blocks: [text('found')] }));
        expect(content.at(-1)).toMatchObject({ type: 'text', text: 'found' });
      }
      expect(world.arrived().map(({ request }) => request.status)).toEqual([200, 200, 200, 200]);
    },
  );

  test('Q4: goes on with the request and the answer so far, verbatim', async () => {
    await using world = await openWorld();
    await streamed(world.gateway.url, paused);
    const [first, second] = world.arrived();
    const messages = bodyOf(first).messages.length;
    expect(second?.body.startsWith(first?.body.slice(0, first.body.indexOf('"messages":')) ?? 'none')).toBe(
      true,
    );
    expect(bodyOf(second).messages.slice(0, messages)).toEqual(bodyOf(first).messages);
    const [answer] = bodyOf(second).messages.slice(messages);
    expect(answer?.content).toEqual([
      { ...thinking, signature: expect.any(String) as string },
      { type: 'text', text: 'I look ü' },
      call('srvtoolu_1'),
    ]);
  });

  test.each([{ streams: true }, { streams: false }])(
    'Q4: that never ends is an error after five continuations, streams: $streams',
    async ({ streams }) => {
      await using world = await openWorld();
      // The ids are the provider's to make.
      const pair = [call('x'), result('x')].map(
        ({ id: _id, tool_use_id: _answered, ...block }: Searching) => block,
      );
      const steps = Array.from({ length: 9 }, () => ({ blocks: pair, stop: 'pause_turn' }));
      const agent = createSdkAgent(world.gateway.url, { streams });
      await expect(agent.turn(script(...steps))).rejects.toThrow(/GATEWAY_TURN_UNFINISHED/);
      expect(world.arrived()).toHaveLength(6);
      const { own_errors: errors, tool_defer: counts } = await world.gateway.stats();
      expect(errors).toEqual({ GATEWAY_TURN_UNFINISHED: 1 });
      expect(counts).toMatchObject({ continuations: 5 });
    },
  );

  test.each([
    { streams: true, step: { fault: 'status', status: 529, times: 9 }, error: /overloaded_error/ },
    { streams: false, step: { fault: 'status', status: 529, times: 9 }, error: /529/ },
    { streams: true, step: { fault: 'errevent' }, error: /overloaded_error/ },
    { streams: true, step: { fault: 'drop' }, error: /./ },
    { streams: true, step: { fault: 'reset', times: 9 }, error: /./ },
    { streams: false, step: { fault: 'reset', times: 9 }, error: /GATEWAY_UPSTREAM_UNREACHABLE/ },
  ])('Q4: whose continuation fails ends never cleanly: $step, streams: $streams', async (failing) => {
    await using world = await openWorld();
    const agent = createSdkAgent(world.gateway.url, failing);
    const first = { blocks: [text('I look'), call('srvtoolu_1')], stop: 'pause_turn' };
    await expect(agent.turn(script(first, failing.step))).rejects.toThrow(failing.error);
  });

  test('Q4: is left as it is where the model was stopped by the client’s own limit', async () => {
    await using world = await openWorld();
    const agent = createCodingAgent({ url: world.gateway.url });
    const steps = script({ blocks: [call('srvtoolu_1'), result('srvtoolu_1')], stop: 'max_tokens' });
    await agent.turn(steps);
    expect(world.arrived()).toHaveLength(1);
  });
});

describe('Q4: a request to go on that the provider does not take', () => {
  const ways = [{ streams: true }, { streams: false }];

  test.each(ways)('Q4: since it has too much to do is sent again, streams: $streams', async (way) => {
    await using world = await openRefusing();
    world.refuse(2, 529, overloaded, { ...json, 'retry-after': '0' });
    const agent = createSdkAgent(world.gateway.url, way);
    const { content } = await agent.turn(paused);
    expect(content.at(-1)).toMatchObject({ type: 'text', text: 'found' });
    expect(world.sent().map(isContinued)).toEqual([false, true, true, true]);
    await agent.turn('thanks');
    expect(world.arrived().map(({ request }) => request.status)).toEqual([200, 200, 200]);
    expect((await world.gateway.stats()).tool_defer).toMatchObject({ continuations: 3, retries_400: 0 });
  });

  test.each([
    { wish: 'that wants to be left alone for a minute', headers: { 'retry-after': '60' } },
    { wish: 'that wants no second try', headers: { 'x-should-retry': 'false' } },
  ])('case 9: of one $wish the client hears at once, and how long', async ({ headers }) => {
    await using world = await openRefusing();
    world.refuse(9, 429, overloaded, { ...json, ...headers });
    const streaming = createSdkAgent(world.gateway.url);
    await expect(streaming.turn(paused)).rejects.toThrow(/overloaded_error/);
    const agent = createCodingAgent({ url: world.gateway.url });
    const response = await agent.request([{ role: 'user', content: paused }]);
    expect([response.status, await response.text()]).toEqual([429, overloaded]);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
    expect(world.sent().map(isContinued)).toEqual([false, true, false, true]);
  });

  test('RF1: is no part of the answer of a program that does not stream: the original is sent, once', async () => {
    await using world = await openRefusing();
    world.refuse(9, 400, unwanted);
    const agent = createSdkAgent(world.gateway.url, { streams: false });
    const { content, usage } = await agent.turn(lookingOnly);
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(world.sent().map(isContinued)).toEqual([false, true, false]);
    const original = world.sent()[2];
    expect(original?.tools.some(({ defer_loading: isDeferred }) => isDeferred)).toBe(false);
    expect(usage).toMatchObject(world.arrived().at(-1)?.request.usage ?? {});
    expect((await world.gateway.stats()).tool_defer).toMatchObject({ retries_400: 1, turned_off: 1 });
    await agent.turn('thanks');
    expect(world.arrived().map(({ request }) => request.status)).toEqual([200, 200, 200]);
    expect(bodyOf(world.arrived().at(-1)).tools).toEqual(original?.tools);
  });

  test('RF1: is no part of a stream either: the turn begins anew behind what the client has of it', async () => {
    await using world = await openRefusing();
    world.refuse(9, 400, unwanted);
    const agent = createSdkAgent(world.gateway.url);
    const { content, usage, stop_reason: stop } = await agent.turn(lookingOnly);
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'thinking', 'text']);
    expect(stop).toBe('end_turn');
    expect(usage.output_tokens).toBe(sumOf(world.arrived(), 'output_tokens'));
    expect(world.sent().map(isContinued)).toEqual([false, true, false]);
    // Its first thought fits no prefix of the thread's any more (RF4).
    await agent.turn('thanks');
    await agent.turn('bye');
    expect(world.arrived().map(({ request }) => request.status)).toEqual([200, 200, 200, 200]);
    expect((await world.gateway.stats()).tool_defer).toMatchObject({
      retries_400: 1,
      turned_off: 1,
      flips: 1,
    });
  });

  test.each(ways)(
    'RF3: and whose original is refused as well ends with that, streams: $streams',
    async (way) => {
      await using world = await openRefusing();
      let requests = 0;
      world.front.intercept = () => ((requests += 1) > 1 ? answerWith(400, unwanted) : undefined);
      const agent = createSdkAgent(world.gateway.url, way);
      await expect(agent.turn(paused)).rejects.toThrow(/no more of this/);
      expect(world.sent().map(isContinued)).toEqual([false, true, false]);
      expect((await world.gateway.stats()).tool_defer).toMatchObject({ retries_400: 1, turned_off: 0 });
    },
  );

  test('FA1: is not sent again for a client that has left meanwhile', async () => {
    await using world = await openRefusing();
    const { promise: refused, resolve } = Promise.withResolvers<void>();
    world.front.intercept = ({ body }) =>
      isContinued(JSON.parse(body.toString()) as Body)
        ? (response) => {
            response.once('finish', resolve);
            answerWith(529, overloaded)(response);
          }
        : undefined;
    const leaving = new AbortController();
    const agent = createCodingAgent({ url: world.gateway.url });
    const response = agent.request([{ role: 'user', content: paused }], leaving.signal);
    await refused;
    leaving.abort();
    await expect(response).rejects.toThrow(/abort/);
    await world.gateway.gateway.close();
    expect(world.sent().map(isContinued)).toEqual([false, true]);
  });
});

describe('Q7: usage', () => {
  test('Q7: is the provider’s own to the byte where a turn takes one answer', async () => {
    await using world = await openWorld();
    const prompt = '@@[{"tool":"Calendar","input":{}},{"text":"done"}]@@';
    for (const streams of [true, false]) {
      const agent = createSdkAgent(world.gateway.url, { streams });
      const message = await agent.turn(prompt);
      expect(message.usage).toMatchObject(world.arrived().at(-1)?.request.usage ?? {});
    }
  });
});
