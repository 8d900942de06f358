import { describe, expect, test } from 'vitest';
import { sendGemini } from './gemini-harness.ts';
import { startSimulator } from './harness.ts';
import type { Loose, Running } from './harness.ts';
import { responsesRequest, sendOpenai } from './openai-harness.ts';

/** 1,000 tokens in the harness's counting. */
const thousand = 'x'.repeat(4_000);
const user = (content: string): Loose => ({ role: 'user', content });
const turns = [user(thousand), user('y'.repeat(1_000))];

async function usageOf(running: Running, changes: Loose, headers = {}): Promise<Loose> {
  const { json } = await sendOpenai(running, '/v1/responses', responsesRequest(changes), headers);
  const { input_tokens, input_tokens_details: details } = json.usage;
  return [input_tokens, details.cached_tokens, details.cache_write_tokens];
}

describe('the prompt cache of OpenAI, on its own', () => {
  test('rules 3 and 5: what was written is read to the token, the rest is written, the input holds both', async () => {
    await using running = await startSimulator();
    expect(await usageOf(running, { input: turns })).toEqual([1_250, 0, 1_250]);
    expect(await usageOf(running, { input: [...turns, user('z'.repeat(400))] })).toEqual([1_350, 1_250, 100]);
    const { totalUsd, byTier } = running.simulator.bill();
    expect(byTier.cacheReadUsd).toBeCloseTo((1_250 * 0.4) / 1e6, 12);
    expect(byTier.cacheWriteShortUsd).toBeCloseTo(((1_250 + 100) * 5) / 1e6, 12);
    expect(byTier.inputUsd).toBe(0);
    expect(totalUsd).toBeGreaterThan(0);
  });

  test('rule 3: a model before gpt-5.6 reads any shared prefix in steps of 128 tokens, and writes for nothing', async () => {
    await using running = await startSimulator();
    const model = 'gpt-5.5';
    expect(await usageOf(running, { model, input: turns })).toEqual([1_250, 0, 0]);
    expect(await usageOf(running, { model, input: turns })).toEqual([1_250, 1_152, 0]);
    const other = [user(thousand), user('y'.repeat(1_000)), user('z'.repeat(400))];
    await usageOf(running, { model, input: other });
    expect(await usageOf(running, { model, input: [...other.slice(0, 2), user('w')] })).toEqual([
      1_251, 1_152, 0,
    ]);
  });

  test('rule 3: what no breakpoint wrote is not read, however much of it is shared', async () => {
    await using running = await startSimulator();
    await usageOf(running, { input: [...turns, user('one question')] });
    expect(await usageOf(running, { input: [...turns, user('another one')] })).toEqual([1_253, 0, 1_253]);
  });

  const marked = (content: string, ttl?: string): Loose => ({
    role: 'user',
    content: [
      {
        type: 'input_text',
        text: content,
        prompt_cache_breakpoint: { mode: 'explicit', ...(ttl !== undefined && { ttl }) },
      },
    ],
  });
  const explicit = { prompt_cache_options: { mode: 'explicit' } };

  test('rule 3: a breakpoint of the client is read by whoever shares the prompt up to it', async () => {
    await using running = await startSimulator();
    const head = marked('x'.repeat(6_000));
    expect(await usageOf(running, { input: [head, user('one question')] })).toEqual([1_503, 0, 1_503]);
    expect(await usageOf(running, { input: [head, user('another one')] })).toEqual([1_503, 1_500, 3]);
    // Where it stands no more, the prompt is the same, and its end was written.
    const plain = [user('x'.repeat(6_000)), user('another one')];
    expect(await usageOf(running, { input: plain })).toEqual([1_503, 1_503, 0]);
  });

  test('rule 3: in explicit mode what stands behind the last breakpoint is plain input', async () => {
    await using running = await startSimulator();
    const input = [marked('x'.repeat(6_000)), user('y'.repeat(400))];
    expect(await usageOf(running, { input, ...explicit })).toEqual([1_600, 0, 1_500]);
    expect(await usageOf(running, { input, ...explicit })).toEqual([1_600, 1_500, 0]);
    expect(running.last().cost?.inputUsd).toBeCloseTo((100 * 4) / 1e6, 12);
  });

  test.each<[Loose, readonly number[]]>([
    [{}, [0, 0, 0, 4_500, 6_000]],
    [explicit, [0, 0, 3_000, 4_500, 6_000]],
  ])(
    'rule 3: the latest three breakpoints are written beside the server’s, or four alone: %j',
    async (changes, kept) => {
      const heads = [0, 1, 2, 3, 4].map((at) => marked(String(at).repeat(6_000)));
      const read = await Promise.all(
        heads.map(async (_, at) => {
          await using running = await startSimulator();
          await usageOf(running, { input: [...heads, user('end')], ...changes });
          return (await usageOf(running, { input: [...heads.slice(0, at), marked('end')], ...changes }))[1];
        }),
      );
      expect(read).toEqual(kept);
    },
  );

  test('rule 3: each breakpoint lives and costs as it says', async () => {
    await using running = await startSimulator();
    const model = 'gpt-6.2-sol';
    const head = marked('x'.repeat(6_000), '12h');
    const ask = (...input: readonly Loose[]): Promise<Loose> => usageOf(running, { model, input });
    expect(await ask(head, user('y'.repeat(400)))).toEqual([1_600, 0, 1_600]);
    expect(running.last().cost).toMatchObject({
      cacheWriteLongUsd: expect.closeTo((1_500 * 5) / 1e6, 12),
      cacheWriteShortUsd: expect.closeTo((100 * 2.5) / 1e6, 12),
    });
    running.wait(31 * 60_000);
    expect(await ask(head, user('y'.repeat(400)), user('z'.repeat(400)))).toEqual([1_700, 1_500, 200]);
  });

  test('below 1,024 tokens nothing is cached', async () => {
    await using running = await startSimulator();
    const input = [user(thousand), user('y'.repeat(92))];
    for (const _ of [1, 2]) expect(await usageOf(running, { input })).toEqual([1_023, 0, 0]);
    // A longer prompt that shares less than the minimum reads nothing either.
    expect(await usageOf(running, { input: [...input, user(thousand)] })).toEqual([2_023, 0, 2_023]);
  });

  test.each<[string, Loose]>([
    ['another model', { model: 'gpt-6.2-sol' }],
    ['another effort', { reasoning: { effort: 'low' } }],
    ['other tools', { tools: [{ type: 'web_search' }] }],
    ['other instructions', { instructions: 'x' }],
    ['another tier of service', { service_tier: 'flex' }],
    ['another cache key', { prompt_cache_key: 'other' }],
    ['explicit mode', { prompt_cache_options: { mode: 'explicit' } }],
  ])('%s reads nothing', async (_, changes) => {
    await using running = await startSimulator();
    await usageOf(running, { input: turns });
    expect((await usageOf(running, { input: turns, ...changes }))[1]).toBe(0);
  });

  test('rule 4: another organisation reads nothing', async () => {
    await using running = await startSimulator();
    await usageOf(running, { input: turns });
    expect((await usageOf(running, { input: turns }, { authorization: 'Bearer other' }))[1]).toBe(0);
  });

  test.each([
    [{}, 30],
    [{ prompt_cache_options: { mode: 'implicit', ttl: '12h' } }, 720],
    [{ model: 'gpt-5.5' }, 10],
    [{ model: 'gpt-5.5', prompt_cache_retention: '24h' }, 1_440],
  ])('%j lives for %i minutes', async (changes, minutes) => {
    await using running = await startSimulator();
    await usageOf(running, { input: turns, ...changes });
    running.wait(minutes * 60_000 - 1);
    expect((await usageOf(running, { input: turns, ...changes }))[1]).toBeGreaterThan(1_000);
    running.wait(minutes * 60_000);
    expect((await usageOf(running, { input: turns, ...changes }))[1]).toBe(0);
  });

  test('how long a write lives is told, and billed, where the request asks for it', async () => {
    await using running = await startSimulator();
    const prompt_cache_options = { mode: 'implicit', ttl: '12h' };
    const ask = (changes: Loose): Promise<Loose> =>
      sendOpenai(
        running,
        '/v1/responses',
        responsesRequest({ model: 'gpt-6.2-sol', input: turns, ...changes }),
      );
    const { json } = await ask({ prompt_cache_options });
    expect(json.usage.input_tokens_details).toEqual({
      cached_tokens: 0,
      cache_write_tokens: 1_250,
      cache_write_tokens_details: { ttl_30m_tokens: 0, ttl_12h_tokens: 1_250 },
    });
    expect(running.last().cost?.cacheWriteLongUsd).toBeCloseTo((1_250 * 5) / 1e6, 12);
    const plain = (await ask({ instructions: 'x' })).json.usage.input_tokens_details;
    expect(Object.keys(plain)).toEqual(['cached_tokens', 'cache_write_tokens']);
  });

  test('Chat reports the same in its own words, from a cache of its own shape', async () => {
    await using running = await startSimulator();
    const ask = async (): Promise<Loose> => {
      const body = { model: 'gpt-5.6-sol', messages: [user(thousand), user('y'.repeat(1_000))] };
      return (await sendOpenai(running, '/v1/chat/completions', body)).json.usage.prompt_tokens_details;
    };
    expect(await ask()).toMatchObject({ cached_tokens: 0, cache_write_tokens: 1_250 });
    expect(await ask()).toMatchObject({ cached_tokens: 1_250, cache_write_tokens: 0 });
  });

  test('a reset forgets it', async () => {
    await using running = await startSimulator();
    await usageOf(running, { input: turns });
    running.simulator.reset();
    expect((await usageOf(running, { input: turns }))[1]).toBe(0);
  });
});

test('Gemini reports what it reads from its cache, and only then', async () => {
  await using running = await startSimulator();
  const contents = [{ parts: [{ text: thousand }, { text: 'y'.repeat(1_000) }] }];
  const ask = async (): Promise<Loose> =>
    (await sendGemini(running, 'gemini-3.8-flash:generateContent', { contents })).json.usageMetadata;
  expect((await ask()).cachedContentTokenCount).toBeUndefined();
  expect(await ask()).toMatchObject({ promptTokenCount: 1_250, cachedContentTokenCount: 1_250 });
});
