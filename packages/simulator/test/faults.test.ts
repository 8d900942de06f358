import { describe, expect, test } from 'vitest';
import { baseHeaders, eventsOf, followedBy, requestOf, script, startSimulator, user } from './harness.ts';
import type { Loose, Running } from './harness.ts';

const scripted = (step: Loose, changes: Loose = {}): Loose =>
  requestOf({ messages: [user(script(step))], ...changes });
const streamed = { stream: true };

/** The body as far as it came, and whether the connection broke. */
async function readRaw(
  running: Running,
  body: unknown,
): Promise<{ readonly text: string; readonly isBroken: boolean }> {
  let text = '';
  try {
    const reply = await fetch(`${running.url}/v1/messages`, {
      method: 'POST',
      headers: baseHeaders,
      body: JSON.stringify(body),
    });
    const decoder = new TextDecoder();
    for await (const chunk of reply.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, isBroken: false };
  } catch {
    return { text, isBroken: true };
  }
}

describe('a fault in the script', () => {
  test('status: its status, headers and envelope, as often as it says, then the rest', async () => {
    await using running = await startSimulator();
    const body = scripted(
      followedBy({ fault: 'status', status: 529, headers: { 'retry-after': '3' }, times: 2 }, { text: 'hi' }),
    );
    for (let time = 0; time < 2; time += 1) {
      const reply = await running.send(body);
      expect(reply.status).toBe(529);
      expect(reply.headers.get('retry-after')).toBe('3');
      expect(reply.json).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
      expect(running.last()).toMatchObject({ status: 529, usage: null, cost: null });
    }
    expect((await running.send(body)).json.content).toEqual([{ type: 'text', text: 'hi' }]);
  });

  test.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [409, 'conflict_error'],
    [413, 'request_too_large'],
    [418, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('status: %i is %s', async (status, type) => {
    await using running = await startSimulator();
    const reply = await running.send(scripted({ fault: 'status', status }));
    expect([reply.status, reply.json.error.type]).toEqual([status, type]);
    expect(reply.json.request_id).toBe(reply.headers.get('request-id'));
  });

  test('status: a body of its own', async () => {
    await using running = await startSimulator();
    expect((await running.send(scripted({ fault: 'status', status: 400, body: { a: 1 } }))).json).toEqual({
      a: 1,
    });
    expect((await running.send(scripted({ fault: 'status', status: 400, raw: 'no' }))).text).toBe('no');
  });

  test('after it, without `then`, "ok"', async () => {
    await using running = await startSimulator();
    const body = scripted({ fault: 'html' });
    const reply = await running.send(body);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect((await running.send(body)).json.content).toEqual([{ type: 'text', text: 'ok' }]);
  });

  test('reset and hang: no answer at all', async () => {
    await using running = await startSimulator();
    for (const step of [{ fault: 'reset' }, { fault: 'hang', delay: 5 }]) {
      expect(await readRaw(running, scripted(step))).toEqual({ text: '', isBroken: true });
      expect(running.last()).toMatchObject({ status: 0, cost: null });
    }
  });

  test.each([
    ['empty', { text: '', isBroken: false }],
    ['dropfirst', { text: '', isBroken: true }],
  ])('%s: a stream without an event', async (fault, outcome) => {
    await using running = await startSimulator();
    expect(await readRaw(running, scripted({ fault }, streamed))).toEqual(outcome);
  });

  test.each([
    ['drop', true],
    ['fin', false],
  ])('%s: a stream that ends after its first delta', async (fault, isBroken) => {
    await using running = await startSimulator();
    const raw = await readRaw(
      running,
      scripted(followedBy({ fault }, { text: 'a text of some length' }), streamed),
    );
    expect(raw.isBroken).toBe(isBroken);
    expect(eventsOf(raw.text).map((event) => event.event)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
    ]);
  });

  test('stall: silence after the first delta, then a broken connection', async () => {
    await using running = await startSimulator();
    const step = followedBy({ fault: 'stall', delay: 30 }, { text: 'a text of some length' });
    const startedAt = performance.now();
    const raw = await readRaw(running, scripted(step, streamed));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(25);
    expect([eventsOf(raw.text).at(-1)?.event, raw.isBroken]).toEqual(['content_block_delta', true]);
  });

  test('failed: on this API an error in the midst', async () => {
    await using running = await startSimulator();
    const events = eventsOf((await running.send(scripted({ fault: 'failed' }, streamed))).text);
    expect(events.at(-1)?.data.error.type).toBe('overloaded_error');
  });

  test('errfirst and errevent: an error event, first or in the midst, and the end', async () => {
    await using running = await startSimulator();
    const first = eventsOf((await running.send(scripted({ fault: 'errfirst' }, streamed))).text);
    expect(first).toEqual([
      { event: 'error', data: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
    ]);
    const body = scripted({ fault: 'errevent', etype: 'api_error' }, streamed);
    const midst = eventsOf((await running.send(body)).text);
    expect(midst.at(-1)?.data.error.type).toBe('api_error');
    expect(midst[0]?.event).toBe('message_start');
  });

  test('badjson, badevent, badblock: something strange, and the rest', async () => {
    await using running = await startSimulator();
    for (const [fault, strange] of [
      ['badjson', '"text_d\n'],
      ['badevent', 'martian_event'],
      ['badblock', 'martian_block'],
    ]) {
      const { text } = await running.send(scripted({ fault }, streamed));
      expect(text).toContain(strange);
      expect(text).toContain('event: message_stop');
    }
  });

  test('nostop: no message_delta and no message_stop', async () => {
    await using running = await startSimulator();
    const events = eventsOf((await running.send(scripted({ fault: 'nostop' }, streamed))).text);
    expect(events.at(-1)?.event).toBe('content_block_stop');
  });

  test('drop on a JSON reply breaks off in its middle', async () => {
    await using running = await startSimulator();
    const raw = await readRaw(running, scripted(followedBy({ fault: 'drop' }, { text: 'hi' })));
    expect(raw.isBroken).toBe(true);
    expect(raw.text.length).toBeGreaterThan(10);
  });

  test('a refused request leaves nothing in the cache', async () => {
    await using running = await startSimulator();
    const system = [{ type: 'text', text: 'x'.repeat(4_000), cache_control: { type: 'ephemeral' } }];
    const body = scripted({ fault: 'status', status: 529 }, { system });
    await running.send(body);
    expect((await running.send(body)).json.usage.cache_read_input_tokens).toBe(0);
  });
});

describe('a fault by header (rule 16)', () => {
  test.each([
    ['429;retry-after=3', 429, { 'retry-after': '3' }],
    ['529', 529, {}],
    ['401;x-should-retry=false', 401, { 'x-should-retry': 'false' }],
    ['413', 413, { 'content-type': 'text/html' }],
  ])('%s', async (header, status, headers) => {
    await using running = await startSimulator();
    const reply = await running.send(requestOf(), { 'x-simulator-fault': header });
    expect(reply.status).toBe(status);
    expect(Object.fromEntries(reply.headers)).toMatchObject(headers);
    expect(reply.json === undefined).toBe(status === 413);
    expect((await running.send(requestOf())).status).toBe(200);
  });

  test('the name of a stream fault works too', async () => {
    await using running = await startSimulator();
    const reply = await running.send(requestOf(streamed), { 'x-simulator-fault': 'errevent' });
    expect(eventsOf(reply.text).at(-1)?.event).toBe('error');
  });

  test('an unknown fault or chunking is a 400 that names the known ones', async () => {
    await using running = await startSimulator();
    const messages = await Promise.all([
      running.send(requestOf(), { 'x-simulator-fault': 'dorp' }),
      running.send(scripted({ fault: 'dorp' })),
      running.send(requestOf(streamed), { 'x-simulator-chunking': 'tiny' }),
    ]);
    expect(messages.map((reply) => [reply.status, reply.json.error.message])).toEqual([
      [400, expect.stringMatching(/^simulator: no fault "dorp"; there are status, html/)],
      [400, expect.stringMatching(/^simulator: no fault "dorp"; there are status, html/)],
      [400, expect.stringMatching(/^simulator: no chunking "tiny"; there are records, bytes/)],
    ]);
    expect(running.simulator.requests().map((request) => request.status)).toEqual([400, 400, 400]);
  });
});
