import type { RequestListener, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { createSecret } from '@quartermaster/agent/settings';
import { ModelError, providerErrors } from '@quartermaster/providers';
import type { LanguageModel, ModelEvent, ModelRequest } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { answerOf, apiKey, ask, noteWaits, user } from './support/simulated.ts';
import { listen } from './support/upstream.ts';
import { vendors } from './support/vendors.ts';

const json = { 'content-type': 'application/json' };

function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

function printed(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function refuse(
  response: ServerResponse,
  { status, body, headers = {} }: { status: number; body: unknown; headers?: Record<string, string> },
): void {
  const type = typeof body === 'string' ? { 'content-type': 'text/html' } : json;
  response.writeHead(status, { ...type, ...headers }).end(printed(body));
}

/** The error of a call, with the events that came before it. */
async function failureOf(model: LanguageModel, request: ModelRequest = ask('hello')) {
  const events: ModelEvent[] = [];
  const { signal } = new AbortController();
  try {
    for await (const event of model.stream(request, { signal })) events.push(event);
  } catch (error) {
    if (error instanceof ModelError) return { events, error };
    throw error;
  }
  throw new Error('expected a failure');
}

describe.each(vendors)('$api', ({ modelAt, started, rest, brokenBy, error: errorOf, faults }) => {
  const whole: RequestListener = (_, response) => begin(response).end(started + rest);

  test('RP2: an answer is its words, then the message with its usage', async () => {
    await using upstream = await listen(whole);
    const { events, text, message, finished } = await answerOf(modelAt(upstream.url), ask('hello'));
    expect(events.map(({ type }) => type)).toEqual(['text-delta', 'text-delta', 'finished']);
    expect(text).toBe('hello');
    expect(message.content).toMatchObject([{ type: 'text', text: 'hello' }]);
    expect(message.stopReason).toBe('end');
    expect(finished.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  });

  test.each(faults)('RP2: $status is $code', async ({ status, body, code }) => {
    await using upstream = await listen((_, response) => refuse(response, { status, body }));
    const { waits, options } = noteWaits();
    const model = modelAt(upstream.url, options);
    const { error } = await failureOf(model);
    expect(error).toMatchObject({ code, provider: model.provider, model: model.id, status });
    expect(error.message).toContain(`${model.provider}/${model.id}`);
    expect(error.message).toContain(String(status));
    const tries = providerErrors[code].retryable ? 3 : 1;
    expect(upstream.seen).toHaveLength(tries);
    expect(waits).toEqual([500, 1_000].slice(0, tries - 1));
  });

  test('R1: a call that failed before its first event is tried again, and answers', async () => {
    let calls = 0;
    await using upstream = await listen((request, response) => {
      calls += 1;
      if (calls === 1) request.socket.destroy();
      else if (calls === 2) begin(response).end(brokenBy);
      else whole(request, response);
    });
    const { text } = await answerOf(modelAt(upstream.url, noteWaits().options), ask('hello'));
    expect(text).toBe('hello');
    expect(calls).toBe(3);
  });

  test.each([
    ['an error in the stream', brokenBy],
    ['the end of the stream', ''],
    ['no JSON', 'data: {"type":\n\n'],
  ])('R1: once an event was given %s fails the call and nothing is tried again', async (_, rest) => {
    await using upstream = await listen((__, response) => begin(response).end(started + rest));
    const { events, error } = await failureOf(modelAt(upstream.url, noteWaits().options));
    expect(events).toEqual([{ type: 'text-delta', text: 'hel' }]);
    expect(providerErrors[error.code].retryable).toBe(true);
    expect(upstream.seen).toHaveLength(1);
  });

  test('R1: no try after the first where none is allowed', async () => {
    await using upstream = await listen((_, response) => refuse(response, { status: 500, body: 'no' }));
    await failureOf(modelAt(upstream.url, { ...noteWaits().options, terms: { maxRetries: 0 } }));
    expect(upstream.seen).toHaveLength(1);
  });

  test('R1: a cancel ends the call at once, with its reason, and its connection too', async () => {
    await using upstream = await listen((_, response) => void begin(response).write(started));
    const cancel = new AbortController();
    const reason = new Error('enough');
    const reading = (async () => {
      for await (const _ of modelAt(upstream.url).stream(ask('hello'), cancel)) cancel.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    await upstream.closed();
    await expect(
      modelAt(upstream.url).stream(ask('hello'), cancel)[Symbol.asyncIterator]().next(),
    ).rejects.toBe(reason);
    expect(upstream.seen).toHaveLength(1);
  });

  test('R1: a cancel ends the wait for an answer, and that for another try', async () => {
    const asked = Promise.withResolvers<void>();
    await using silent = await listen(() => asked.resolve());
    const cancel = new AbortController();
    const waiting = modelAt(silent.url).stream(ask('hello'), cancel)[Symbol.asyncIterator]().next();
    await asked.promise;
    cancel.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await silent.closed();

    await using busy = await listen((_, response) => refuse(response, { status: 503, body: 'busy' }));
    const later = new AbortController();
    const sleep = (): Promise<void> => Promise.reject(later.abort(new Error('later')) ?? later.signal.reason);
    const trying = modelAt(busy.url, { sleep }).stream(ask('hello'), later)[Symbol.asyncIterator]().next();
    await expect(trying).rejects.toThrow('later');
    expect(busy.seen).toHaveLength(1);
  });

  test('R1: who stops reading closes the connection', async () => {
    await using upstream = await listen((_, response) => void begin(response).write(started));
    const { signal } = new AbortController();
    for await (const _ of modelAt(upstream.url).stream(ask('hello'), { signal })) break;
    await upstream.closed();
    expect(upstream.open()).toBe(0);
  });

  test('RP2: silence fails the call after the time that is allowed, and closes the connection', async () => {
    await using upstream = await listen((_, response) => void begin(response).write(started));
    const { error, events } = await failureOf(modelAt(upstream.url, { terms: { maxSilenceMs: 60 } }));
    expect(error).toMatchObject({ code: 'PROVIDER_SILENT' });
    expect(error.message).toContain('60 ms');
    expect(events).toHaveLength(1);
    await upstream.closed();
    await using mute = await listen(() => {});
    const terms = { maxSilenceMs: 60, maxRetries: 1 };
    const unanswered = await failureOf(modelAt(mute.url, { ...noteWaits().options, terms }));
    expect(unanswered.error).toMatchObject({ code: 'PROVIDER_SILENT' });
    expect(mute.seen).toHaveLength(2);
    await mute.closed();
  });

  test('RP2: a sign of life that is no event is none of silence, nor is a reader that takes its time', async () => {
    await using upstream = await listen((_, response) => {
      begin(response).write(started);
      let pings = 0;
      const timer = setInterval(() => {
        pings += 1;
        response.write(': ping\n\n');
        if (pings < 25) return;
        clearInterval(timer);
        response.end(rest);
      }, 20);
    });
    const model = modelAt(upstream.url, { terms: { maxSilenceMs: 300 } });
    const { signal } = new AbortController();
    const types: string[] = [];
    for await (const { type } of model.stream(ask('hello'), { signal })) {
      types.push(type);
      if (types.length === 1) await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(types.at(-1)).toBe('finished');
  });

  test('RP2: a provider that can not be reached is told from one that breaks off', async () => {
    await using upstream = await listen(whole);
    const { url } = upstream;
    await upstream[Symbol.asyncDispose]();
    const { error } = await failureOf(modelAt(url, { terms: { maxRetries: 0 } }));
    expect(error).toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('RP2: what fails before anything is sent is told as it is, at once', async () => {
    const bug = new TypeError('a bug');
    const request: ModelRequest = {
      ...ask('hello'),
      get messages(): never {
        throw bug;
      },
    };
    await using upstream = await listen(whole);
    await expect(answerOf(modelAt(upstream.url), request)).rejects.toBe(bug);
    expect(upstream.seen).toEqual([]);
  });

  test('RP1: a server that wants no key gets none of anybody', async () => {
    await using upstream = await listen(whole);
    const { text } = await answerOf(modelAt(upstream.url, { apiKey: createSecret('') }), ask('hello'));
    expect(text).toBe('hello');
  });

  test('C3: no error shows the key, the credentials of a URL or a word of the prompt', async () => {
    const secret = 'my grandmother lives in a canary cage at the harbour';
    await using talkative = await listen((request, response) => {
      let sent = '';
      request.on('data', (data: Buffer) => (sent += data.toString()));
      request.on('end', () => {
        const url = `http://u:pw-canary@127.0.0.1${request.url}?key=k-canary`;
        const body = errorOf(`bad ${secret} with ${apiKey.reveal()} at ${url} for pet-canary in ${sent}`);
        refuse(response, { status: 400, body });
      });
    });
    const request = ask('hello', {
      system: secret,
      messages: [user(`${secret}\nof many lines`), user('pet-canary')],
    });
    const { error } = await failureOf(modelAt(talkative.url), request);
    const shown = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
    expect(shown).not.toContain('canary');
    expect(error.message).toContain('bad [prompt] with [secret]');
  });
});

test(
  'C3: a server that answers with the whole of a long prompt holds nobody up',
  { timeout: 5_000 },
  async () => {
    const [{ modelAt, error: errorOf }] = vendors as readonly [(typeof vendors)[number]];
    const long = Array.from({ length: 100_000 }, (_, line) => `canary ${line}`).join(' ');
    await using talkative = await listen((_, response) =>
      refuse(response, { status: 422, body: errorOf(`can't read: ${long}`) }),
    );
    const { error } = await failureOf(modelAt(talkative.url), ask(long));
    expect(error.message).toContain("can't read: [prompt]");
    expect(error.message).not.toContain('canary');
  },
);

describe('how long to wait', () => {
  const [{ modelAt, started, rest, error: errorOf }] = vendors as readonly [(typeof vendors)[number]];

  test.each([
    [{ 'retry-after-ms': '40' }, 40],
    [{ 'retry-after': '3' }, 3_000],
    [{}, 500],
  ])('R1: %j is waited for %i ms', async (headers, ms) => {
    let calls = 0;
    await using upstream = await listen((_, response) => {
      calls += 1;
      if (calls > 1) begin(response).end(started + rest);
      else refuse(response, { status: 429, body: errorOf('slow'), headers });
    });
    const { waits, options } = noteWaits();
    await answerOf(modelAt(upstream.url, options), ask('hello'));
    expect(waits).toEqual([ms]);
  });

  test('R1: a longer pause than is allowed is not waited for, and told', async () => {
    const headers = { 'retry-after': '120', 'request-id': 'req_9' };
    await using upstream = await listen((_, response) =>
      refuse(response, { status: 429, body: 'slow', headers }),
    );
    const { error } = await failureOf(modelAt(upstream.url, noteWaits().options));
    expect(error).toMatchObject({
      code: 'PROVIDER_RATE_LIMITED',
      retryAfterMs: 120_000,
      requestId: 'req_9',
    });
    expect(error.message).toContain('req_9');
    expect(upstream.seen).toHaveLength(1);
  });

  test.each([
    [500, 'false', 1],
    [400, 'true', 3],
  ])('R1: %i with x-should-retry: %s is sent %i times', async (status, word, times) => {
    const headers = { 'x-should-retry': word };
    await using upstream = await listen((_, response) =>
      refuse(response, { status, body: errorOf('no'), headers }),
    );
    await failureOf(modelAt(upstream.url, noteWaits().options));
    expect(upstream.seen).toHaveLength(times);
  });
});
