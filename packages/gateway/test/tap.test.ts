import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import zlib from 'node:zlib';
import type { RequestRecord, Store } from '@quartermaster/store';
import { describe, expect, test } from 'vitest';
import { createAnswerReader } from '../src/tap/answer.ts';
import { searchEvents, smallRequest, sse, startAnswering } from './support/answering-upstream.ts';
import { openTemporaryStore, type RunningGateway, startGateway } from './support/gateway.ts';
import { send } from './support/raw-http.ts';

const told = { input_tokens: 50, cache_read_input_tokens: 2_400, cache_creation_input_tokens: 120 };
const split = { cache_creation: { ephemeral_5m_input_tokens: 120, ephemeral_1h_input_tokens: 0 } };

function stream(start: object, delta: object): string {
  return [
    sse('message_start', { message: { usage: start } }),
    sse('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    sse('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'ok' } }),
    sse('content_block_stop', { index: 0 }),
    sse('message_delta', { delta: { stop_reason: 'end_turn' }, usage: delta }),
    sse('message_stop'),
  ].join('');
}

const plain = stream({ ...told, ...split, output_tokens: 1 }, { output_tokens: 9 });

/** Sends one request through a gateway to a provider that answers so, and reads what the ledger noted of it. */
async function noteOf(
  answer: (response: ServerResponse) => void,
  sent: { readonly path?: string } = {},
): Promise<{
  record: RequestRecord | undefined;
  stats: Awaited<ReturnType<RunningGateway['stats']>>;
  body: Buffer;
}> {
  await using upstream = await startAnswering(answer);
  await using temporary = await openTemporaryStore();
  await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh', store: temporary.store });
  const reply = await send(new URL(sent.path ?? '/anthropic/v1/messages', gateway.url), smallRequest()).catch(
    () => undefined,
  );
  return { ...(await settled(gateway, temporary.store)), body: reply?.body ?? Buffer.alloc(0) };
}

async function settled(gateway: RunningGateway, store: Store) {
  await gateway.gateway.settled();
  const [record] = await store.ledger.records('local', { limit: 1 });
  return { record, stats: await gateway.stats() };
}

const asStream =
  (text: string, encoding?: string, encode: (body: Buffer) => Buffer = (body) => body) =>
  (response: ServerResponse): void => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    });
    response.end(encode(Buffer.from(text)));
  };

describe('case 57: usage told at the start, at the end, in both, or growing', () => {
  const figures = { ...told, ...split };
  const grown = { input_tokens: 60, cache_read_input_tokens: 2_500, cache_creation_input_tokens: 130 };
  test.each([
    [
      'at the start only',
      stream({ ...figures, output_tokens: 1 }, { output_tokens: 9 }),
      [50, 2_400, 120, 9],
    ],
    ['at the end only', stream({}, { ...figures, output_tokens: 9 }), [50, 2_400, 120, 9]],
    [
      'in both, equal',
      stream({ ...figures, output_tokens: 9 }, { ...figures, output_tokens: 9 }),
      [50, 2_400, 120, 9],
    ],
    [
      'in both, cumulative',
      stream({ ...figures, output_tokens: 1 }, { ...grown, output_tokens: 9 }),
      [60, 2_500, 130, 9],
    ],
  ] as const)('%s', async (_name, text, expected) => {
    const { record } = await noteOf(asStream(text));
    expect([
      record?.inputTokens,
      record?.cacheReadTokens,
      record?.cacheWriteShortTokens,
      record?.outputTokens,
    ]).toEqual(expected);
  });
});

describe('an answer is read in whatever encoding it passes, and passes as it came', () => {
  test.each([
    ['gzip', (body: Buffer) => zlib.gzipSync(body)],
    ['br', (body: Buffer) => zlib.brotliCompressSync(body)],
    ['zstd', (body: Buffer) => zlib.zstdCompressSync(body)],
    ['deflate', (body: Buffer) => zlib.deflateSync(body)],
    ['identity', (body: Buffer) => body],
  ] as const)('%s', async (encoding, encode) => {
    const { record, body } = await noteOf(asStream(plain, encoding, encode));
    expect(record).toMatchObject({ inputTokens: 50, cacheReadTokens: 2_400, outputTokens: 9 });
    expect(body.equals(encode(Buffer.from(plain)))).toBe(true);
  });

  test('a message that is not streamed', async () => {
    const message = JSON.stringify({
      type: 'message',
      content: [{ type: 'text', text: 'ok' }],
      usage: { ...told, ...split, output_tokens: 9 },
    });
    const { record, body } = await noteOf((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(message);
    });
    expect(record).toMatchObject({ inputTokens: 50, cacheReadTokens: 2_400, outputTokens: 9, netTokens: 0 });
    expect(body.toString()).toBe(message);
  });
});

describe('LE5: what is not known is null and counted, never 0', () => {
  test.each([
    ['an encoding that nobody knows', asStream(plain, 'rot13')],
    ['bytes that do not decode', asStream(plain, 'gzip')],
    ['an answer without usage', asStream(sse('message_stop'))],
    ['no figure for the input', asStream(stream({ output_tokens: 1 }, { output_tokens: 9 }))],
    [
      'no cache figures for a marked prompt',
      asStream(stream({ input_tokens: 50, output_tokens: 1 }, { output_tokens: 9 })),
    ],
  ])('%s', async (_name, answer) => {
    const { record, stats } = await noteOf(answer);
    expect(record).toMatchObject({ costUsd: null, netTokens: null, netUsd: null });
    expect(stats.tool_defer).toMatchObject({ net_tokens: null, net_usd: null, requests_unknown: 1 });
  });

  test('a model without a price has no net, and its usage is noted', async () => {
    await using upstream = await startAnswering(asStream(plain));
    await using temporary = await openTemporaryStore();
    await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh', store: temporary.store });
    await send(new URL('/anthropic/v1/messages', gateway.url), smallRequest({ model: 'claude-nobody' }));
    const { record, stats } = await settled(gateway, temporary.store);
    expect(record).toMatchObject({ inputTokens: 50, costUsd: null, netUsd: null });
    expect(stats.tool_defer.net_usd).toBeNull();
  });

  test('a refused request was not billed: it is neither booked nor unknown', async () => {
    const { record, stats } = await noteOf((response) => response.writeHead(429).end('{}'));
    expect(record).toMatchObject({ status: 429, inputTokens: null, costUsd: null });
    expect(stats.tool_defer).toMatchObject({ requests_booked: 0, requests_unknown: 0, net_usd: null });
  });

  test('a stream that breaks off after its start was billed what it told', async () => {
    const opening = plain.slice(0, plain.indexOf('event: message_delta'));
    const { record, stats } = await noteOf((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(opening, () => response.destroy());
    });
    expect(record).toMatchObject({ inputTokens: 50, cacheReadTokens: 2_400 });
    expect(stats.tool_defer.requests_booked).toBe(1);
  });
});

describe('LE3: searches are counted from the whole stream, in bounded memory', () => {
  test('the first and the last of 5,000, with megabytes of text between them', async () => {
    const filler = sse('content_block_delta', {
      index: 1,
      delta: { type: 'text_delta', text: randomBytes(512).toString('hex') },
    });
    const reader = createAnswerReader();
    const before = process.memoryUsage().heapUsed;
    for (let search = 0; search < 5_000; search += 1) {
      for (const event of eventsIn(searchEvents(search * 2, ['Alpha']))) reader.event(event);
    }
    const { searches, searchTexts, loaded } = reader.facts();
    expect(searches).toBe(5_000);
    expect(searchTexts.length).toBeLessThanOrEqual(256);
    expect(loaded).toEqual(new Set(['Alpha']));
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
    const text = [searchEvents(0, ['Alpha']), filler.repeat(4_000), searchEvents(8, ['Beta']), plain].join(
      '',
    );
    const { body } = await noteOf(asStream(text));
    expect(body.toString()).toBe(text);
  });

  test('an event of more than a megabyte is passed on and passed over', async () => {
    const huge = sse('content_block_start', {
      index: 7,
      content_block: { type: 'web_search_tool_result', content: 'x'.repeat(2 * 1024 * 1024) },
    });
    const { record, body } = await noteOf(asStream(huge + plain));
    expect(record).toMatchObject({ inputTokens: 50, outputTokens: 9 });
    expect(body.length).toBe(huge.length + plain.length);
  });
});

describe('LE4: dropped parallel searches', () => {
  const end = sse('message_delta', { delta: { stop_reason: 'end_turn' }, usage: {} }) + sse('message_stop');
  test.each([
    ['two searches with one result', searchEvents(0, undefined) + searchEvents(1, ['Alpha']) + end, 1],
    ['two searches with two results', searchEvents(0, []) + searchEvents(2, ['Alpha']) + end, 0],
    ['one search alone', searchEvents(0, undefined) + end, 0],
    [
      'two searches of a paused turn',
      searchEvents(0, undefined) + searchEvents(1, ['Alpha']) + end.replace('end_turn', 'pause_turn'),
      0,
    ],
    ['two searches of a stream that broke off', searchEvents(0, undefined) + searchEvents(1, ['Alpha']), 0],
  ])('%s', (_name, text, dropped) => {
    const reader = createAnswerReader();
    for (const event of eventsIn(text)) reader.event(event);
    expect(reader.facts().droppedSearches).toBe(dropped);
  });
});

test('FA2: the first bytes of an answer reach the client before its end is there', async () => {
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  await using upstream = await startAnswering((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(plain.slice(0, 100));
    // The rest is only sent once the client has the beginning: a tap that held it back would never end.
    void seen.then(() => response.end(plain.slice(100)));
  });
  await using gateway = await startGateway(upstream.url, { preset: 'ultrahigh' });
  const response = await fetch(new URL('/anthropic/v1/messages', gateway.url), {
    method: 'POST',
    ...smallRequest(),
  });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  resolve();
  expect(Buffer.from(first?.value ?? []).toString()).toBe(plain.slice(0, 100));
  for (let rest = await reader?.read(); rest?.done === false; rest = await reader?.read());
});

function eventsIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Readonly<Record<string, unknown>>);
}
