import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { assistant, requestOf, startSimulator, tool, user } from './harness.ts';
import type { Loose } from './harness.ts';

const seed = inject('seed');
const letters = fc
  .string({ unit: fc.constantFrom('a', 'ä', '🙂', ' b'), minLength: 1, maxLength: 900 })
  .map((text) => `x${text}`);
const block = letters.map((text): Loose => ({ type: 'text', text }));

/** A request with up to four marks at random places, the long-lived ones first. */
const marked = fc
  .record({
    tools: fc.array(fc.record({ text: letters, isDeferred: fc.boolean() }), { maxLength: 5 }),
    system: fc.array(block, { maxLength: 4 }),
    turns: fc.array(fc.tuple(fc.array(block, { minLength: 1, maxLength: 3 }), block), { maxLength: 5 }),
    last: fc.array(block, { minLength: 1, maxLength: 3 }),
    marks: fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 4 }),
    longMarks: fc.nat({ max: 4 }),
  })
  .map(({ tools, system, turns, last, marks, longMarks }): Loose => {
    const list = [
      tool('first'),
      ...tools.map(({ text, isDeferred }, index) =>
        tool(`t${index}`, { description: text, ...(isDeferred && { defer_loading: true }) }),
      ),
    ];
    const messages = [...turns.flatMap(([asked, said]) => [user(asked), assistant([said])]), user(last)];
    const request = structuredClone(requestOf({ tools: list, system, messages }));
    const holders = [
      ...(request['tools'] as Loose).filter((entry: Loose) => entry.defer_loading !== true),
      ...(request['system'] as Loose),
      ...(request['messages'] as Loose).flatMap((message: Loose) => message.content),
    ];
    const places = [...new Set(marks.map((mark) => mark % holders.length))].toSorted((a, b) => a - b);
    places.forEach((place, index) => {
      holders[place].cache_control = { type: 'ephemeral', ttl: index < longMarks ? '1h' : '5m' };
    });
    return request;
  });

function inputOf(usage: Loose): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
}

describe('for any request and any marks', () => {
  test('rule 11: what is billed as input is what count_tokens says, and the bill is the sum', async () => {
    await using running = await startSimulator();
    await fc.assert(
      fc.asyncProperty(marked, async (request) => {
        const before = running.simulator.bill().totalUsd;
        const { max_tokens: _, ...counted } = request;
        const count = await running.send(counted, {}, '/v1/messages/count_tokens');
        const reply = await running.send(request);
        const { usage } = reply.json;
        expect(inputOf(usage)).toBe(count.json.input_tokens);
        const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage.cache_creation;
        expect(short + long).toBe(usage.cache_creation_input_tokens);
        const { input_tokens: plain, cache_read_input_tokens: read, output_tokens: output } = usage;
        const usd = (plain * 4 + read * 0.2 + short * 5 + long * 8 + output * 20) / 1e6;
        expect(running.simulator.bill().totalUsd - before).toBeCloseTo(usd, 9);
      }),
      { seed, numRuns: 60 },
    );
  });

  test('rules 9 and 10: sent again at once, it reads all that it wrote and writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(marked, async (request) => {
        await using running = await startSimulator();
        const first = (await running.send(request)).json.usage;
        const second = (await running.send(request)).json.usage;
        expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
        expect(second.cache_creation_input_tokens).toBe(0);
        expect(second.input_tokens).toBe(first.input_tokens);
      }),
      { seed, numRuns: 40 },
    );
  });

  test('rule 7: moving the marks changes no rendered position', async () => {
    await using running = await startSimulator();
    await fc.assert(
      fc.asyncProperty(marked, async (request) => {
        await running.send(request);
        const before = running.last().renderedPrefixHashes;
        await running.send(
          JSON.stringify(request, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
        );
        expect(running.last().renderedPrefixHashes).toEqual(before);
      }),
      { seed, numRuns: 40 },
    );
  });
});

test('rule 10: until the first response has begun, equal requests find nothing and all write', async () => {
  await using running = await startSimulator();
  const system = [{ type: 'text', text: 'x'.repeat(4_000), cache_control: { type: 'ephemeral' } }];
  const send = (): Promise<unknown> =>
    running.send(requestOf({ system, stream: true }), { 'x-simulator-chunking': 'slow' });
  await Promise.all([send(), send()]);
  await send();
  const usages = running.simulator
    .requests()
    .map((request) => request.usage?.['cache_creation_input_tokens']);
  expect(usages).toEqual([1_690, 1_690, 0]);
});
