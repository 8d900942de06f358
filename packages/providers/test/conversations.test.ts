import type { Message, TokenUsage } from '@quartermaster/agent/messages';
import { catalog } from '@quartermaster/catalog';
import type { LanguageModel } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { expectGrowing } from './support/prefix.ts';
import { simulatedVendors } from './support/simulated-vendors.ts';
import { answerOf, ask, results, script, startSimulator, tool, user } from './support/simulated.ts';
import type { Answer, Simulated } from './support/simulated.ts';

const tools = [tool('read'), tool('write')];

/** A turn with a thought, a text and two calls at once. */
function busyStep(index: number): unknown {
  return {
    thinking: `thought ${index}`,
    text: `step ${index}`,
    tools: [
      { tool: 'read', input: { path: `ä${index}` } },
      { tool: 'write', input: { path: `b${index}`, deep: [{ n: 1.5 }] } },
    ],
  };
}

/** Three turns with tools, an answer, and a question more. */
async function converse(model: LanguageModel): Promise<{ messages: readonly Message[]; answers: Answer[] }> {
  const answers: Answer[] = [];
  let messages: readonly Message[] = [
    user(script(busyStep(0), busyStep(1), busyStep(2), { text: 'all done' })),
  ];
  for (let turn = 0; turn < 5; turn += 1) {
    const answer = await answerOf(model, ask('', { messages, tools, reasoning: 'low' }));
    answers.push(answer);
    const next =
      turn < 3
        ? results(answer.message, turn === 1 ? '' : `result ${turn}`, turn === 2 ? 'failed' : 'completed')
        : user('and now?');
    messages = [...messages, answer.message, next];
  }
  return { messages, answers };
}

/** Of Google's models those that the simulator has. */
function modelsOf(provider: string): readonly string[] {
  const ids = catalog.models.filter((model) => model.provider === provider).map(({ id }) => id);
  return ids.length > 0 ? ids : ['gemini-3.8-flash', 'gemini-3.5-flash-lite', 'gemini-2.5-flash-lite'];
}

function totalsOf({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: TokenUsage): number {
  return (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0) + (outputTokens ?? 0);
}

function expectAllAccepted({ simulator }: Simulated): void {
  expect(simulator.requests().map(({ status, error }) => error ?? status)).toEqual(
    simulator.requests().map(() => 200),
  );
  expect(simulator.requests().some(({ brokenBinding }) => brokenBinding)).toBe(false);
}

describe.each(simulatedVendors)('$api', ({ api, modelAt, seal }) => {
  test('RP1: plain, thoughts, calls in parallel, failures and empty results, as the SDK gives them', async () => {
    await using upstream = await startSimulator();
    const { answers } = await converse(modelAt(upstream));
    expectAllAccepted(upstream);
    expect(answers.map(({ text }) => text)).toEqual(['step 0', 'step 1', 'step 2', 'all done', 'ok']);
    expect(answers.map(({ message }) => message.stopReason)).toEqual([
      'tool-calls',
      'tool-calls',
      'tool-calls',
      'end',
      'end',
    ]);
    for (const [index, { message, reasoning }] of answers.slice(0, 3).entries()) {
      const calls = message.content.filter((part) => part.type === 'tool-call');
      expect(calls.map(({ name, input }) => [name, input])).toEqual([
        ['read', { path: `ä${index}` }],
        ['write', { path: `b${index}`, deep: [{ n: 1.5 }] }],
      ]);
      if (seal !== undefined) expect(reasoning).toBe(`thought ${index}`);
    }
  });

  test('RP3: each request begins with the one before it, byte for byte, and thoughts go back as they came', async () => {
    await using upstream = await startSimulator();
    const { messages } = await converse(modelAt(upstream));
    expectGrowing(upstream.bodies);
    const last = upstream.bodies.at(-1) ?? '';
    // The last answer's own came after the last request.
    const sealed = JSON.stringify(messages.slice(0, -2)).matchAll(new RegExp(`"${seal}":("[^"]+")`, 'g'));
    const seals = [...sealed].map(([, value = '']) => value);
    expect(seals.length).toBeGreaterThan(seal === undefined ? -1 : 2);
    for (const value of seals) expect(last).toContain(value);
    const hashes = upstream.simulator.requests().map((request) => request.renderedPrefixHashes);
    for (const [index, later] of hashes.entries()) {
      const earlier = hashes[index - 1] ?? [];
      expect(later.slice(0, earlier.length)).toEqual(earlier);
    }
  });

  test('RP3: a conversation that was stored and read again gives the same bytes', async () => {
    await using upstream = await startSimulator();
    const { messages } = await converse(modelAt(upstream));
    await answerOf(modelAt(upstream), ask('', { messages, tools, reasoning: 'low' }));
    const read = JSON.parse(JSON.stringify(messages));
    await answerOf(modelAt(upstream), ask('', { messages: read, tools, reasoning: 'low' }));
    expect(upstream.bodies.at(-1)).toBe(upstream.bodies.at(-2));
  });

  test('RP1: every model that there is takes every wish for thought, with or without a temperature', async () => {
    await using upstream = await startSimulator();
    const wishes = [undefined, 'off', 'low', 'medium', 'high'] as const;
    for (const id of modelsOf(modelAt(upstream).provider)) {
      for (const reasoning of wishes) {
        const model = modelAt(upstream, id, { terms: { maxRetries: 0 } });
        await answerOf(model, ask('hello', { temperature: 0.5, ...(reasoning && { reasoning }) }));
      }
    }
    expectAllAccepted(upstream);
  });

  test('RP2: what the answers cost is what the provider bills', async () => {
    await using upstream = await startSimulator();
    const model = modelAt(upstream);
    const system = 'A long prompt that is worth a place in the cache. '.repeat(400);
    let messages: readonly Message[] = [user(script(busyStep(0), busyStep(1), { text: 'done' }))];
    const usages = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const { message, finished } = await answerOf(
        model,
        ask('', { system, tools, messages, cacheKey: 'session-1' }),
      );
      usages.push(finished.usage);
      messages = [...messages, message, results(message, 'a result')];
    }
    expect(usages.at(-1)?.cacheReadTokens).toBeGreaterThan(1_000);
    const costs = upstream.simulator.requests().map(({ cost }) => cost?.totalUsd);
    // The catalog has no prices of Google's: what is not known is not told.
    if (api === 'google-gemini') {
      expect(usages.map(({ costUsd }) => costUsd)).toEqual([undefined, undefined, undefined]);
      expect(usages.map(totalsOf)).toEqual(
        upstream.simulator.requests().map(({ usage }) => usage?.['totalTokenCount']),
      );
      return;
    }
    for (const [index, { costUsd }] of usages.entries()) expect(costUsd).toBeCloseTo(costs[index] ?? 0, 12);
    expect(usages.reduce((sum, { costUsd }) => sum + (costUsd ?? Number.NaN), 0)).toBeCloseTo(
      upstream.simulator.bill().totalUsd,
      12,
    );
  });
});

function withTerms(body: unknown, terms: object): string {
  return JSON.stringify({ ...(typeof body === 'string' && JSON.parse(body)), ...terms });
}

test.each([
  ['anthropic-messages', { inference_geo: 'us', speed: 'fast' }, 2.2],
  ['openai-responses', { service_tier: 'fast' }, 2],
  ['openai-chat', { service_tier: 'flex' }, 0.5],
] as const)(
  'RP2: what %s serves on other terms costs what the provider bills',
  async (api, terms, factor) => {
    await using upstream = await startSimulator();
    const { modelAt } = simulatedVendors.find((vendor) => vendor.api === api) ?? expect.fail();
    // As a gateway on the way does that speaks for a whole company.
    const onTheseTerms: typeof fetch = (url, init) =>
      fetch(url, { ...init, body: withTerms(init?.body, terms) });
    const plain = await answerOf(modelAt(upstream), ask('hello'));
    const { finished } = await answerOf(modelAt(upstream, undefined, { fetch: onTheseTerms }), ask('hello'));
    expect(finished.usage.costUsd).toBeCloseTo((plain.finished.usage.costUsd ?? 0) * factor, 12);
    expect(finished.usage.costUsd).toBeCloseTo(upstream.simulator.requests().at(-1)?.cost?.totalUsd ?? 0, 12);
  },
);
