import { catalog } from '@quartermaster/catalog';
import type { Message } from '@quartermaster/agent/messages';
import { createAnthropicModel } from '@quartermaster/providers';
import type { LanguageModel, LanguageModelOptions } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { answerOf, apiKey, ask, results, script, startSimulator, tool, user } from './support/simulated.ts';
import type { Simulated } from './support/simulated.ts';

function modelAt({ url }: Simulated, changes: Partial<LanguageModelOptions> = {}): LanguageModel {
  const id = 'claude-opus-5-5';
  return createAnthropicModel({ provider: 'anthropic', id, apiKey, baseUrl: url, catalog, ...changes });
}

describe('Anthropic', () => {
  test('RP2: text comes as it is said, then the whole message', async () => {
    await using upstream = await startSimulator();
    const { events, text, message } = await answerOf(modelAt(upstream), ask(script({ text: 'hello there' })));
    expect(text).toBe('hello there');
    expect(message.content).toEqual([{ type: 'text', text: 'hello there' }]);
    expect(message.model).toEqual({ provider: 'anthropic', id: 'claude-opus-5-5' });
    expect(message.stopReason).toBe('end');
    expect(events.filter(({ type }) => type === 'finished')).toHaveLength(1);
  });

  test('RP2: usage and cost are what the provider bills', async () => {
    await using upstream = await startSimulator();
    const model = modelAt(upstream);
    const system = 'A long prompt that is worth a place in the cache. '.repeat(100);
    const tools = [tool('read')];
    let messages: readonly Message[] = [user(script({ tool: 'read', input: { path: 'a' } }, { text: 'b' }))];
    let totalUsd = 0;
    for (let turn = 0; turn < 2; turn += 1) {
      const { message, finished } = await answerOf(model, ask('', { system, tools, messages }));
      messages = [...messages, message, ...(turn === 0 ? [results(message)] : [])];
      const told = upstream.simulator.requests().at(-1)?.usage;
      expect(finished.usage).toMatchObject({
        inputTokens: told?.['input_tokens'],
        cacheReadTokens: told?.['cache_read_input_tokens'],
        cacheWriteTokens: told?.['cache_creation_input_tokens'],
        outputTokens: told?.['output_tokens'],
      });
      if (turn === 1) expect(finished.usage.cacheReadTokens).toBeGreaterThan(1_000);
      totalUsd += finished.usage.costUsd ?? Number.NaN;
    }
    expect(totalUsd).toBeCloseTo(upstream.simulator.bill().totalUsd, 12);
  });

  test('RP3: thoughts go back as they came, over many turns on a model that binds them', async () => {
    await using upstream = await startSimulator();
    const model = modelAt(upstream);
    const step = (index: number) => ({
      thinking: `thought ${index}`,
      text: `step ${index}`,
      tools: [
        { tool: 'read', input: { path: `a${index}` } },
        { tool: 'write', input: { path: `b${index}` } },
      ],
    });
    let messages: readonly Message[] = [user(script(step(0), step(1), step(2), { text: 'done' }))];
    for (let turn = 0; turn < 4; turn += 1) {
      const request = ask('', { messages, tools: [tool('read'), tool('write')], reasoning: 'low' });
      const { message, reasoning } = await answerOf(model, request);
      if (turn < 3) {
        expect(reasoning).toBe(`thought ${turn}`);
        expect(message.stopReason).toBe('tool-calls');
        expect(message.content.map(({ type }) => type)).toEqual([
          'reasoning',
          'text',
          'tool-call',
          'tool-call',
        ]);
        messages = [...messages, message, results(message, '')];
      } else {
        messages = [...messages, message, user('and now?')];
      }
    }
    await answerOf(model, ask('', { messages, tools: [tool('read'), tool('write')], reasoning: 'low' }));
    expect(upstream.simulator.requests().map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(upstream.simulator.requests().every(({ brokenBinding }) => !brokenBinding)).toBe(true);
  });
});
