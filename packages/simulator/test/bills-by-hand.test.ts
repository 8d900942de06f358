import { catalog, createCatalog } from '@quartermaster/catalog';
import { describe, expect, test } from 'vitest';
import { sendGemini } from './gemini-harness.ts';
import { assistant, bm25, requestOf, script, startSimulator, tool, user } from './harness.ts';
import type { Loose, Running } from './harness.ts';
import { responsesRequest, sendOpenai } from './openai-harness.ts';

// Whole conversations, with one token a character and prices as the vendors' pages have them (§5.1, §5.2), so that each
// bill can be added up on paper: tokens × USD per million tokens.
const plain = createCatalog(catalog.models.map((model) => ({ ...model, billedPerO200k: 1 })));
const start = (): Promise<Running> => startSimulator({ catalog: plain, countTokens: ({ length }) => length });
const minuteMs = 60_000;
const million = 1_000_000;

/** One price class of one request: `[tokens, USD per million tokens]`. */
type Line = readonly [number, number];

function usd(...lines: readonly Line[]): number {
  return lines.reduce((sum, [tokens, price]) => sum + tokens * price, 0) / million;
}

function expectBill({ simulator }: Running, ...requests: readonly (readonly Line[])[]): void {
  expect(simulator.requests().map(({ cost }) => cost?.totalUsd)).toEqual(
    requests.map((lines) => expect.closeTo(usd(...lines), 12)),
  );
  expect(simulator.bill().totalUsd).toBeCloseTo(usd(...requests.flat()), 12);
}

describe('Claude', () => {
  const text = (length: number, ttl?: '5m' | '1h'): Loose => ({
    type: 'text',
    text: 'x'.repeat(length),
    ...(ttl !== undefined && { cache_control: { type: 'ephemeral', ttl } }),
  });

  async function ask(running: Running, body: Loose): Promise<Loose> {
    const reply = await running.send(requestOf(body));
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.json;
  }

  test('§1.13.4: an hour of Opus 5.5, with a coffee break that the short marks do not outlive', async () => {
    await using running = await start();
    const system = [text(2_000, '1h')];
    const first = [user([text(1_000, '5m')])];
    await ask(running, { system, messages: first });
    running.wait(2 * minuteMs);
    const second = [user([text(1_000)]), assistant('ok'), user([text(500, '5m')])];
    await ask(running, { system, messages: second });
    running.wait(10 * minuteMs);
    const third = [
      user([text(1_000)]),
      assistant('ok'),
      user([text(500)]),
      assistant('ok'),
      user([text(100)]),
    ];
    await ask(running, { system, messages: third });
    expectBill(
      running,
      // System for an hour, prompt for five minutes, "ok".
      [
        [2_000, 8],
        [1_000, 5],
        [2, 20],
      ],
      // All of it read, the answer and the question written.
      [
        [3_000, 0.2],
        [502, 5],
        [2, 20],
      ],
      // The system is left; without a mark the rest is plain.
      [
        [2_000, 0.2],
        [1_604, 4],
        [2, 20],
      ],
    );
  });

  test('§1.13.2: a prefix below the minimum is never cached, and is plain input', async () => {
    await using running = await start();
    for (const _ of [1, 2]) await ask(running, { model: 'claude-opus-4-8', system: [text(1_023, '5m')] });
    for (const _ of [1, 2]) await ask(running, { model: 'claude-opus-4-8', system: [text(1_024, '5m')] });
    const rest: readonly Line[] = [
      [5, 5],
      [2, 25],
    ];
    expectBill(
      running,
      [[1_023, 5], ...rest],
      [[1_023, 5], ...rest],
      [[1_024, 6.25], ...rest],
      [[1_024, 0.5], ...rest],
    );
  });

  test('§5.1: Haiku 5.5 costs five times as much for the whole request above 100,000 tokens of input', async () => {
    await using running = await start();
    await ask(running, { model: 'claude-haiku-5-5', system: [text(99_995, '5m')] });
    await ask(running, {
      model: 'claude-haiku-5-5',
      system: [text(99_995, '5m')],
      messages: [user('hello!')],
    });
    expectBill(
      running,
      [
        [99_995, 0.125],
        [5, 0.1],
        [2, 0.5],
      ],
      [
        [99_995, 0.05],
        [6, 0.5],
        [2, 2.5],
      ],
    );
  });

  test('§5.1: Fable reads for a fortieth; the US costs a tenth more; fast mode of Opus 5.5 twice', async () => {
    await using running = await start();
    const fable = { model: 'claude-fable-5-2', system: [text(1_000, '1h')] };
    await ask(running, fable);
    await ask(running, fable);
    await ask(running, { ...fable, inference_geo: 'us' });
    await ask(running, { speed: 'fast' });
    expectBill(
      running,
      [
        [1_000, 16],
        [5, 8],
        [2, 40],
      ],
      [
        [1_000, 0.2],
        [5, 8],
        [2, 40],
      ],
      [
        [1_000, 0.22],
        [5, 8.8],
        [2, 44],
      ],
      [
        [5, 8],
        [2, 40],
      ],
    );
  });

  test('§6.1 rule 12: a search reads what it found as plain input, and the next request writes it', async () => {
    await using running = await start();
    const invoice = tool('invoice', { defer_loading: true, description: 'd'.repeat(200) });
    const system = [text(1_000, '5m')];
    const prompt = script({ tool: 'invoice', input: {} });
    const body = { system, tools: [bm25, invoice] };
    const { content } = await ask(running, { ...body, messages: [user(prompt)] });
    const result = { type: 'tool_result', tool_use_id: content.at(-1).id, content: 'paid' };
    const marked = { ...result, cache_control: { type: 'ephemeral' } };
    await ask(running, { ...body, messages: [user(prompt), assistant(content), user([marked])] });
    const search = `tool_search_tool_bm25 ${JSON.stringify({ query: 'invoice', limit: 1 })}`.length;
    const declared = JSON.stringify({ name: bm25.name, type: bm25.type }).length;
    const { name, description, input_schema } = invoice;
    const found = `invoice ${JSON.stringify({ name, description, input_schema })}`.length;
    expectBill(
      running,
      [
        [declared + 1_000, 5],
        [prompt.length + found, 4],
        [search + 'invoice {}'.length, 20],
      ],
      [
        [declared + 1_000, 0.2],
        [prompt.length + search + found + 'invoice {}'.length + 'paid'.length, 5],
        [2, 20],
      ],
    );
  });

  test('§1.15: counting and refused requests cost nothing', async () => {
    await using running = await start();
    const { max_tokens: _, ...body } = requestOf();
    await running.send(body, {}, '/v1/messages/count_tokens');
    await running.send({ ...body, max_tokens: -1 });
    expect(running.simulator.bill()).toMatchObject({ totalUsd: 0, requests: 0 });
  });
});

describe('OpenAI', () => {
  const said = (letter: string, length: number): Loose => ({ role: 'user', content: letter.repeat(length) });
  const answer: Loose = { role: 'assistant', content: 'ok' };

  async function ask(running: Running, changes: Loose, path = '/v1/responses'): Promise<void> {
    const body = path === '/v1/responses' ? responsesRequest(changes) : changes;
    const reply = await sendOpenai(running, path, body);
    if (reply.status !== 200) throw new Error(reply.text);
  }

  test('§2.5: gpt-5.6 writes each prompt to its end and reads the one before it', async () => {
    await using running = await start();
    await ask(running, { input: [said('x', 2_000)] });
    await ask(running, { input: [said('x', 2_000), answer, said('y', 500)] });
    running.wait(31 * minuteMs);
    await ask(running, { input: [said('x', 2_000), answer, said('y', 500), answer, said('z', 10)] });
    expectBill(
      running,
      [
        [2_000, 5],
        [2, 20],
      ],
      [
        [2_000, 0.4],
        [502, 5],
        [2, 20],
      ],
      [
        [2_514, 5],
        [2, 20],
      ],
    );
  });

  test('§2.5: gpt-5.4 reads in steps of 128 tokens from 1,024 on, and writes for nothing', async () => {
    await using running = await start();
    const model = 'gpt-5.4';
    await ask(running, { model, input: [said('x', 1_500)] });
    await ask(running, { model, input: [said('x', 1_500), answer, said('y', 48)] });
    expectBill(
      running,
      [
        [1_500, 2.5],
        [2, 15],
      ],
      // 11 × 128 of the 1,500.
      [
        [1_408, 0.25],
        [142, 2.5],
        [2, 15],
      ],
    );
  });

  test('§5.2: above 272,000 tokens of input all of gpt-6.2-sol is dearer; flex halves, priority doubles', async () => {
    await using running = await start();
    const model = 'gpt-6.2-sol';
    await ask(running, { model, input: [said('x', 272_000)] });
    await ask(running, { model, input: [said('x', 272_000), answer] });
    await ask(running, { model, input: 'hello', service_tier: 'flex' });
    await ask(running, { model, input: 'hello', service_tier: 'fast' });
    expectBill(
      running,
      [
        [272_000, 2.5],
        [2, 10],
      ],
      [
        [272_000, 0.2],
        [2, 5],
        [2, 15],
      ],
      [
        [5, 1],
        [2, 5],
      ],
      [
        [5, 4],
        [2, 20],
      ],
    );
  });

  test('§2.4: Chat is billed alike; thoughts are output, shown or not', async () => {
    await using running = await start();
    const prompt = script({ thinking: 't'.repeat(300), text: 'done' });
    const messages = [{ role: 'user', content: prompt }];
    await ask(running, { model: 'gpt-5.6-sol', messages }, '/v1/chat/completions');
    await ask(running, { input: prompt });
    const lines: readonly Line[] = [
      [prompt.length, 4],
      [300 + 'done'.length, 20],
    ];
    expectBill(running, lines, lines);
  });
});

test('Gemini tells its tokens, what it read from the cache among those of the prompt; no price of it is known', async () => {
  await using running = await start();
  const said = (role: string, text: string): Loose => ({ role, parts: [{ text }] });
  const first = said('user', 'x'.repeat(2_000));
  const usageOf = async (contents: readonly Loose[]): Promise<Loose> =>
    (await sendGemini(running, 'gemini-3.8-flash:generateContent', { contents })).json.usageMetadata;
  expect(await usageOf([first])).toMatchObject({
    promptTokenCount: 2_000,
    candidatesTokenCount: 2,
    totalTokenCount: 2_002,
  });
  expect(await usageOf([first, said('model', 'ok'), said('user', 'y'.repeat(98))])).toMatchObject({
    promptTokenCount: 2_100,
    cachedContentTokenCount: 2_000,
    totalTokenCount: 2_102,
  });
  expect(running.simulator.requests().map(({ cost }) => cost)).toEqual([null, null]);
  expect(running.simulator.bill().totalUsd).toBe(0);
});
