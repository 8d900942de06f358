import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createChecks, type CheckKey, type Checks } from '../src/check/checks.ts';
import { askForDeferredTool, judgeAnswer } from '../src/check/question.ts';
import { createUpstream } from '../src/http/upstream.ts';
import type { Log } from '../src/index.ts';
import { openTemporaryStore } from './support/gateway.ts';
import { startServer } from './support/server.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const hourMs = 3_600_000;

interface Question {
  readonly max_tokens: number;
  readonly messages: readonly { readonly content: string }[];
  readonly tools: readonly {
    readonly name: string;
    readonly type?: string;
    readonly defer_loading?: boolean;
  }[];
}

const searched = (name: string): object => ({
  type: 'tool_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: {
    type: 'tool_search_tool_search_result',
    tool_references: [{ type: 'tool_reference', tool_name: name }],
  },
});
const called = (name: string): object => ({ type: 'tool_use', id: 'toolu_1', name, input: {} });
const answer = (content: readonly object[], stop = 'tool_use'): string =>
  JSON.stringify({ type: 'message', content, stop_reason: stop });

describe('CH1', () => {
  test('CH1: the question has one loaded tool, one deferred tool with a unique name and the search tool', () => {
    const { body, toolName } = askForDeferredTool('claude-opus-5-5', 'abc');
    const question = JSON.parse(body) as Question;
    expect(question.tools.map((tool) => tool.defer_loading ?? false)).toEqual([false, true, false]);
    expect(question.tools[1]?.name).toBe(toolName);
    expect(question.tools[2]?.type).toMatch(/^tool_search_tool_/);
    expect(toolName).toMatch(/abc/);
    expect(question.messages[0]?.content).toMatch(toolName);
  });

  test.each([
    { content: [searched('t'), called('t')], outcome: 'pass' },
    { content: [called('t')], outcome: 'fail' },
    { content: [searched('t')], outcome: 'fail' },
    { content: [called('t'), searched('t')], outcome: 'fail' },
    { content: [searched('other'), called('t')], outcome: 'fail' },
    { content: [{ type: 'text', text: 'done' }], outcome: 'fail' },
    { content: [], outcome: 'fail' },
  ])('CH1: a 200 with $content is a $outcome', ({ content, outcome }) => {
    expect(judgeAnswer(200, answer(content), 't')).toBe(outcome);
  });

  test('CH1: a 200 that is no message is a fail', () => {
    for (const body of ['', 'null', '[]', '<html>', '{"content":"t"}', '{"content":[null,1]}']) {
      expect(judgeAnswer(200, body, 't')).toBe('fail');
    }
  });
});

describe('CH2', () => {
  test.each([401, 403, 404, 408, 409, 413, 429, 500, 502, 529])('CH2: %d is no verdict', (status) => {
    expect(judgeAnswer(status, '{}', 't')).toBe('no-verdict');
  });

  test.each([400, 422, 402, 301, 204])('CH2: %d is a fail', (status) => {
    expect(judgeAnswer(status, '{}', 't')).toBe('fail');
  });

  test('CH2: pause_turn is no verdict, and the answer may take 1,000 tokens', () => {
    expect(judgeAnswer(200, answer([], 'pause_turn'), 't')).toBe('no-verdict');
    expect(JSON.parse(askForDeferredTool('m', 'n').body)).toHaveProperty('max_tokens', 1_000);
  });
});

/** An upstream that supports deferral, as far as a check can see, and keeps what it was asked. */
function obedient(asked: IncomingMessage[]): RequestListener {
  return (request, response) => {
    asked.push(request);
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.once('end', () => {
      const name =
        (JSON.parse(body) as Question).tools.find((tool) => tool.defer_loading === true)?.name ?? '';
      response.end(answer([searched(name), called(name)]));
    });
  };
}

const keyOf = (model: string): CheckKey => ({ upstream: 'u', model, route: '/v1/messages' });

async function settled(checks: Checks): Promise<void> {
  await checks.close();
}

function checksWith(now: () => number, store?: Parameters<typeof createChecks>[0]['store']): Checks {
  return createChecks({ store, clock: { now }, ids: randomUUID, log: silent });
}

const headers: IncomingHttpHeaders = {
  'x-api-key': 'k',
  authorization: 'Bearer t',
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'effort-2025-11-24, oauth-2025-04-20',
  cookie: 'c',
};

describe('a check', () => {
  test('CH5: uses the caller’s credential and the OAuth beta, and no other header of the caller', async () => {
    const asked: IncomingMessage[] = [];
    await using server = await startServer(obedient(asked));
    const checks = checksWith(() => 0);
    checks.verdict(keyOf('m'), {
      upstream: createUpstream(server.url),
      headers,
      path: '/v1/messages?beta=true',
    });
    await settled(checks);
    const [request] = asked;
    expect(request?.url).toBe('/v1/messages?beta=true');
    expect(request?.headers).toMatchObject({
      'x-api-key': 'k',
      authorization: 'Bearer t',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'oauth-2025-04-20',
    });
    expect(request?.headers).not.toHaveProperty('cookie');
  });

  test('CH3, CH6: a pass holds 24 h; a stale verdict serves while a new one is fetched', async () => {
    const asked: IncomingMessage[] = [];
    await using server = await startServer(obedient(asked));
    let nowMs = 0;
    const checks = checksWith(() => nowMs);
    const caller = { upstream: createUpstream(server.url), headers, path: '/v1/messages' };
    expect(checks.verdict(keyOf('m'), caller)).toBe('unknown');
    await settled(checks);
    nowMs = 24 * hourMs - 1;
    expect(checks.verdict(keyOf('m'), caller)).toBe('pass');
    await settled(checks);
    expect(asked).toHaveLength(1);
    nowMs = 24 * hourMs;
    expect(checks.verdict(keyOf('m'), caller)).toBe('pass');
    await settled(checks);
    expect(asked).toHaveLength(2);
    expect(checks.known()).toMatchObject([{ verdict: 'pass', checkedAtMs: nowMs, isStale: false }]);
  });

  test('CH3: a fail holds 15 minutes', async () => {
    const asked: IncomingMessage[] = [];
    await using server = await startServer((request, response) => {
      asked.push(request);
      request.resume();
      response.writeHead(400).end('{}');
    });
    let nowMs = 0;
    const checks = checksWith(() => nowMs);
    const caller = { upstream: createUpstream(server.url), headers, path: '/v1/messages' };
    for (const minute of [0, 14, 15]) {
      nowMs = minute * 60_000;
      checks.verdict(keyOf('m'), caller);
      await settled(checks);
    }
    expect(checks.verdict(keyOf('m'), caller)).toBe('fail');
    expect(asked).toHaveLength(2);
  });

  test('CH3: at most 4 are in flight, and 256 keys are known', async () => {
    const asked: IncomingMessage[] = [];
    const released = Promise.withResolvers<void>();
    const pass = obedient(asked);
    await using server = await startServer((request, response) => {
      void released.promise.then(() => pass(request, response));
    });
    const checks = checksWith(() => 0);
    const caller = { upstream: createUpstream(server.url), headers, path: '/v1/messages' };
    for (let model = 0; model < 6; model += 1) checks.verdict(keyOf(`m${model}`), caller);
    released.resolve();
    await settled(checks);
    expect(asked).toHaveLength(4);
    for (let model = 6; model < 300; model += 1) {
      checks.verdict(keyOf(`m${model}`), caller);
      await settled(checks);
    }
    expect(checks.known()).toHaveLength(256);
  });

  test('CH7: a verdict survives a restart', async () => {
    await using temporary = await openTemporaryStore();
    await using server = await startServer(obedient([]));
    const caller = { upstream: createUpstream(server.url), headers, path: '/v1/messages' };
    const before = checksWith(() => 5, temporary.store.verdicts);
    before.verdict(keyOf('m'), caller);
    await settled(before);
    const after = checksWith(() => 6, temporary.store.verdicts);
    await after.load();
    expect(after.verdict(keyOf('m'), caller)).toBe('pass');
  });

  test('CH7: a verdict that is dropped while its check is in flight is void, also in the store', async () => {
    await using temporary = await openTemporaryStore();
    const released = Promise.withResolvers<void>();
    const pass = obedient([]);
    await using server = await startServer((request, response) => {
      void released.promise.then(() => pass(request, response));
    });
    const checks = checksWith(() => 5, temporary.store.verdicts);
    const caller = { upstream: createUpstream(server.url), headers, path: '/v1/messages' };
    checks.verdict(keyOf('m'), caller);
    checks.verdict(keyOf('other'), caller);
    checks.drop(keyOf('m'));
    released.resolve();
    await settled(checks);
    expect(checks.known().map(({ model }) => model)).toEqual(['other']);
    expect((await temporary.store.verdicts.load()).map(({ model }) => model)).toEqual(['other']);
  });

  test('CH7: a dropped verdict is gone, in the store too, and the next thread’s check brings a new one', async () => {
    await using temporary = await openTemporaryStore();
    await using server = await startServer(obedient([]));
    let nowMs = 5;
    const checks = checksWith(() => nowMs, temporary.store.verdicts);
    const caller = { upstream: createUpstream(server.url), headers, path: '/v1/messages' };
    checks.verdict(keyOf('m'), caller);
    await settled(checks);
    checks.drop(keyOf('m'));
    await settled(checks);
    nowMs += hourMs;
    expect(await temporary.store.verdicts.load()).toEqual([]);
    expect(checks.verdict(keyOf('m'), caller)).toBe('unknown');
    await settled(checks);
    expect(checks.verdict(keyOf('m'), caller)).toBe('pass');
  });

  test('RF5: a verdict from before a time counts as none, and a check is started for a newer one', async () => {
    await using server = await startServer(obedient([]));
    let nowMs = 0;
    const checks = checksWith(() => nowMs);
    const caller = { upstream: createUpstream(server.url), headers, path: '/v1/messages' };
    checks.verdict(keyOf('m'), caller);
    await settled(checks);
    nowMs = hourMs;
    expect(checks.verdict(keyOf('m'), caller, hourMs)).toBe('unknown');
    await settled(checks);
    expect(checks.verdict(keyOf('m'), caller, hourMs)).toBe('pass');
  });

  test('CH3, CH8: an asked check waits for a place where four are in flight', async () => {
    const released = Promise.withResolvers<void>();
    const pass = obedient([]);
    await using server = await startServer((request, response) => {
      void released.promise.then(() => pass(request, response));
    });
    const checks = checksWith(() => 0);
    const caller = { upstream: createUpstream(server.url), headers, path: '/v1/messages' };
    const started = ['a', 'b', 'c', 'd', 'e', 'a'].map((model) => checks.start(keyOf(model), caller));
    expect(started).toEqual([true, true, true, true, false, true]);
    released.resolve();
    await settled(checks);
    expect(checks.start(keyOf('e'), caller)).toBe(true);
    await settled(checks);
    expect(checks.known()).toHaveLength(5);
  });

  test('CH2: an upstream that is not there leaves the verdict unknown', async () => {
    const checks = checksWith(() => 0);
    const caller = { upstream: createUpstream(new URL('http://127.0.0.1:1')), headers, path: '/v1/messages' };
    checks.verdict(keyOf('m'), caller);
    await settled(checks);
    expect(checks.verdict(keyOf('m'), caller)).toBe('unknown');
  });
});
