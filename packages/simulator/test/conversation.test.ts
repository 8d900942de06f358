import { describe, expect, test } from 'vitest';
import {
  assistant,
  bm25,
  bytes,
  eventsOf,
  requestOf,
  script,
  startSimulator,
  tool,
  user,
} from './harness.ts';
import type { Loose, Running } from './harness.ts';

/** Plays a conversation until the model ends its turn, marking the last block of every request as clients do. */
async function converse(running: Running, base: Record<string, unknown>, prompt: string): Promise<Loose[]> {
  const messages: Loose[] = [{ role: 'user', content: [{ type: 'text', text: prompt }] }];
  const replies: Loose[] = [];
  for (;;) {
    const marked = structuredClone(messages);
    marked.at(-1).content.at(-1).cache_control = { type: 'ephemeral' };
    const reply = await running.send({ ...base, messages: marked });
    replies.push(reply.json);
    if (reply.json?.stop_reason !== 'tool_use') return replies;
    messages.push(assistant(reply.json.content));
    const calls = reply.json.content.filter((block: Loose) => block.type === 'tool_use');
    messages.push(
      user(
        calls.map((call: Loose) => ({
          type: 'tool_result',
          tool_use_id: call.id,
          content: `done ${call.name}`,
        })),
      ),
    );
  }
}

const text = 'x'.repeat(4_000);

describe('a conversation', () => {
  test('a scripted run searches, calls, reads its cache and bills what its usage says', async () => {
    await using running = await startSimulator();
    const base = requestOf({
      tools: [tool('read'), tool('merge', { defer_loading: true, description: text }), bm25],
      system: [{ type: 'text', text }],
      thinking: { type: 'adaptive', display: 'omitted' },
    });
    const replies = await converse(
      running,
      base,
      script(
        { tool: 'read', input: { path: 'a' } },
        { tool: 'merge', input: { a: 1 } },
        { tool: 'merge' },
        { text: 'done' },
      ),
    );
    expect(replies.map((reply) => reply.content.map((block: Loose) => block.type))).toEqual([
      ['thinking', 'tool_use'],
      ['thinking', 'server_tool_use', 'tool_search_tool_result', 'tool_use'],
      ['thinking', 'tool_use'],
      ['thinking', 'text'],
    ]);
    const [first, second, third, fourth] = replies.map((reply) => reply.usage);
    expect(first.cache_creation_input_tokens).toBeGreaterThan(1_690);
    expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
    expect(third.cache_read_input_tokens).toBe(
      first.cache_creation_input_tokens + second.cache_creation_input_tokens,
    );
    expect(third.cache_creation_input_tokens).toBeGreaterThan(1_690);
    expect(fourth.cache_creation_input_tokens).toBeLessThan(100);
    const costs = running.simulator.requests().map((request) => request.cost?.totalUsd ?? 0);
    expect(running.simulator.bill()).toMatchObject({ requests: 4 });
    expect(running.simulator.bill().totalUsd).toBeCloseTo(
      costs.reduce((a, b) => a + b),
      12,
    );
  });

  test('rule 12: one sampling has no iterations to report', async () => {
    await using running = await startSimulator();
    expect((await running.send(requestOf())).json.usage).not.toHaveProperty('iterations');
  });

  test('rule 12: a turn paused after its search has not sampled again', async () => {
    await using running = await startSimulator();
    const tools = [tool('merge', { defer_loading: true }), bm25];
    const usageOf = async (stop: string): Promise<Loose> =>
      (await running.send(requestOf({ tools, messages: [user(script({ search: 'merge', stop }))] }))).json
        .usage;
    expect(await usageOf('pause_turn')).not.toHaveProperty('iterations');
    expect((await usageOf('end_turn')).iterations).toHaveLength(2);
  });

  test('rule 12: a definition loaded by a search is billed as plain input of the second sampling', async () => {
    await using running = await startSimulator();
    const merge = tool('merge', { defer_loading: true, description: text });
    const request = requestOf({ tools: [merge, bm25], messages: [user(script({ tool: 'merge' }))] });
    const { json } = await running.send({ ...request, stream: false });
    const [first, second] = json.usage.iterations;
    const definition = JSON.stringify({
      name: 'merge',
      description: text,
      input_schema: merge['input_schema'],
    });
    expect(second.input_tokens).toBe(Math.round(bytes(`merge ${definition}`) * 1.69));
    expect(json.usage.input_tokens).toBe(first.input_tokens + second.input_tokens);
    const streamed = eventsOf((await running.send({ ...request, stream: true })).text);
    expect(streamed[0]?.data.message.usage.input_tokens).toBe(first.input_tokens);
    expect(streamed.at(-2)?.data.usage.input_tokens).toBe(json.usage.input_tokens);
  });
});
