import type { Message } from '@quartermaster/agent/messages';
import { createFallbackModel, ModelError } from '@quartermaster/providers';
import type { Fallback, LanguageModel, ModelErrorCode, ModelEvent } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { expectGrowing } from './support/prefix.ts';
import { simulatedVendors } from './support/simulated-vendors.ts';
import {
  answerOf,
  ask,
  noteWaits,
  results,
  script,
  startSimulator,
  tool,
  user,
} from './support/simulated.ts';

/** A way that can be shut; who goes it then hears that there is no capacity. */
function createGate(): { isShut: boolean; readonly fetch: typeof fetch } {
  const gate = {
    isShut: false,
    fetch: async (input: Parameters<typeof fetch>[0], init?: RequestInit) =>
      gate.isShut ? new Response('{"error":{"message":"Overloaded"}}', { status: 529 }) : fetch(input, init),
  };
  return gate;
}

const pairs = simulatedVendors.flatMap((first) =>
  simulatedVendors
    .filter((other) => other !== first)
    .map((second) => ({ first, second, from: first.api, to: second.api })),
);

describe('a fallback', () => {
  test.each(pairs)(
    'RP3: from $from to $to and back keeps the prefix of both, byte for byte',
    async ({ first, second }) => {
      await using upstream = await startSimulator();
      await using other = await startSimulator();
      const gate = createGate();
      const { options } = noteWaits();
      let nowMs = 0;
      const fallbacks: Fallback[] = [];
      const model = createFallbackModel(
        [
          first.modelAt(upstream, undefined, { ...options, fetch: gate.fetch, terms: { maxRetries: 0 } }),
          second.modelAt(other, undefined, options),
        ],
        { clock: { now: () => nowMs }, onFallback: (fallback) => fallbacks.push(fallback) },
      );
      const step = (index: number) => ({
        thinking: `thought ${index}`,
        text: `step ${index}`,
        tool: 'read',
        input: { path: String(index) },
      });
      const steps = Array.from({ length: 8 }, (_, index) => step(index));
      let messages: readonly Message[] = [user(script(...steps))];
      const answered: string[] = [];
      for (let turn = 0; turn < 8; turn += 1) {
        gate.isShut = turn === 2 || turn === 3 || turn === 6;
        nowMs += 100_000;
        const request = ask('', { messages, tools: [tool('read')], reasoning: 'medium' });
        const { message } = await answerOf(model, request);
        answered.push(message.model.id);
        messages = [...messages, message, results(message, `result ${turn}`)];
      }
      expect(fallbacks.map(({ error }) => error.code)).toEqual(Array(3).fill('PROVIDER_OVERLOADED'));
      expect(upstream.bodies).toHaveLength(5);
      expect(other.bodies).toHaveLength(3);
      expectGrowing(upstream.bodies);
      expectGrowing(other.bodies);
      const all = [...upstream.simulator.requests(), ...other.simulator.requests()];
      expect(all.map(({ status, error }) => error ?? status)).toEqual(Array(8).fill(200));
      expect(all.some(({ brokenBinding }) => brokenBinding)).toBe(false);
      const [firstId] = answered;
      expect(answered.map((id) => id === firstId)).toEqual(
        first.modelAt(upstream).id === second.modelAt(upstream).id
          ? Array(8).fill(true)
          : [true, true, false, false, true, true, false, true],
      );
    },
  );

  test('RP3: thoughts of one model of a vendor do not go to another, and are there on the way back', async () => {
    const [anthropic] = simulatedVendors;
    await using upstream = await startSimulator();
    const steps = [1, 2, 3, 4].map((index) => ({
      thinking: `thought ${index}`,
      text: `step ${index}`,
      tool: 'read',
    }));
    let messages: readonly Message[] = [user(script(...steps))];
    for (const id of ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-opus-5-5', 'claude-sonnet-5-5']) {
      const model = anthropic?.modelAt(upstream, id);
      if (model === undefined) throw new Error('expected a model');
      const request = ask('', { messages, tools: [tool('read')], reasoning: 'low' });
      const { message } = await answerOf(model, request);
      messages = [...messages, message, results(message)];
    }
    expect(upstream.simulator.requests().map(({ status, error }) => error ?? status)).toEqual(
      Array(4).fill(200),
    );
    expect(upstream.bodies.map((body) => body.match(/thought \d","signature/g) ?? [])).toEqual([
      [],
      [],
      ['thought 1","signature'],
      ['thought 2","signature'],
    ]);
  });

  test.each<[ModelErrorCode, boolean]>([
    ['PROVIDER_RATE_LIMITED', true],
    ['PROVIDER_OVERLOADED', true],
    ['PROVIDER_UNREACHABLE', true],
    ['PROVIDER_SILENT', true],
    ['PROVIDER_STREAM_BROKEN', true],
    ['PROVIDER_QUOTA_SPENT', true],
    ['PROVIDER_CONTEXT_OVERFLOW', false],
    ['PROVIDER_BAD_REQUEST', false],
    ['PROVIDER_REFUSED', false],
    ['PROVIDER_NOT_AUTHORISED', false],
    ['PROVIDER_MODEL_NOT_FOUND', false],
  ])('RP3: after %s another model is asked: %s', async (code, isAsked) => {
    const model = createFallbackModel([failing('a', { code }), answering('b')], { clock: { now: () => 0 } });
    const answer = answerOf(model, ask('hello'));
    if (isAsked) expect((await answer).message.model.id).toBe('b');
    else await expect(answer).rejects.toMatchObject({ code, model: 'a' });
  });

  test('R1: none after something was shown, after a cancel, or for a fault of our own', async () => {
    const clock = { now: () => 0 };
    const shown = createFallbackModel([failing('a', { shows: 'hel' }), answering('b')], { clock });
    await expect(answerOf(shown, ask('hello'))).rejects.toMatchObject({ model: 'a' });
    const bug = new TypeError('a bug');
    const broken: LanguageModel = {
      ...answering('a'),
      // oxlint-disable-next-line require-yield -- it fails before its first event
      async *stream() {
        throw bug;
      },
    };
    await expect(answerOf(createFallbackModel([broken, answering('b')], { clock }), ask(''))).rejects.toBe(
      bug,
    );
  });

  test('RP3: a model that failed rests, for as long as it says, and is first again after that', async () => {
    let nowMs = 1_000;
    const asked: string[] = [];
    const onFallback = ({ from, to }: Fallback): void => void asked.push(`${from.id} to ${to.id}`);
    const first = failing('a', { retryAfterMs: 5_000 });
    const model = createFallbackModel([first, answering('b')], { clock: { now: () => nowMs }, onFallback });
    await answerOf(model, ask(''));
    nowMs = 5_999;
    await answerOf(model, ask(''));
    expect(asked).toEqual(['a to b']);
    nowMs = 6_000;
    await answerOf(model, ask(''));
    expect(asked).toEqual(['a to b', 'a to b']);
  });

  test('RP3: where all rest they are asked all the same, and the last failure is told', async () => {
    const model = createFallbackModel([failing('a'), failing('b')], { clock: { now: () => 0 } });
    await expect(answerOf(model, ask(''))).rejects.toMatchObject({ model: 'b' });
    await expect(answerOf(model, ask(''))).rejects.toMatchObject({ model: 'b' });
  });

  test('RP2: it goes by the name of the first and the window of the smallest', () => {
    const clock = { now: () => 0 };
    const sized = (id: string, contextTokens: number | undefined) => ({ ...answering(id), contextTokens });
    expect(
      createFallbackModel([sized('a', 9), sized('b', undefined), sized('c', 5)], { clock }),
    ).toMatchObject({ id: 'a', provider: 'test', contextTokens: 5 });
  });
});

function answering(id: string): LanguageModel {
  return {
    provider: 'test',
    id,
    api: 'openai-chat',
    contextTokens: undefined,
    lateTools: 'list',
    searchesTools: false,
    async *stream(): AsyncGenerator<ModelEvent> {
      yield {
        type: 'finished',
        message: {
          role: 'assistant',
          content: [{ type: 'text', text: 'hello' }],
          model: { provider: 'test', id },
          stopReason: 'end',
        },
        usage: {
          inputTokens: undefined,
          cacheReadTokens: undefined,
          cacheWriteTokens: undefined,
          outputTokens: undefined,
          costUsd: undefined,
        },
      };
    },
  };
}

function failing(
  id: string,
  {
    code = 'PROVIDER_OVERLOADED',
    shows,
    retryAfterMs,
  }: { code?: ModelErrorCode; shows?: string; retryAfterMs?: number } = {},
): LanguageModel {
  return {
    ...answering(id),
    async *stream(): AsyncGenerator<ModelEvent> {
      if (shows !== undefined) yield { type: 'text-delta', text: shows };
      throw new ModelError(
        { code, provider: 'test', model: id, ...(retryAfterMs !== undefined && { retryAfterMs }) },
        'failed',
      );
    },
  };
}
