import Anthropic from '@anthropic-ai/sdk';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { followedBy, script, startSimulator } from './harness.ts';
import type { Running } from './harness.ts';

/** The vendor's own client against the simulator: what it accepts is what the API's types say. */
function clientOf(running: Running): Anthropic {
  return new Anthropic({ apiKey: 'test-key', baseURL: running.url, maxRetries: 0 });
}

const tools: Anthropic.ToolUnion[] = [
  { name: 'read', input_schema: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'merge', input_schema: { type: 'object', properties: {} }, defer_loading: true },
  { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
];

describe("the vendor's SDK", () => {
  test('plain: text and usage come as its types say', async () => {
    await using running = await startSimulator();
    const message = await clientOf(running).messages.create({
      model: 'claude-opus-5-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hello' }],
    });
    expect(message.content).toEqual([{ type: 'text', text: 'ok' }]);
    expect(message.usage.input_tokens).toBe(running.last().usage?.['input_tokens']);
  });

  test('tools: a streamed search and call, then the answer to its result', async () => {
    await using running = await startSimulator();
    const base = {
      model: 'claude-opus-5-5',
      max_tokens: 2_000,
      tools,
      thinking: { type: 'adaptive' },
    } as const;
    const prompt = {
      role: 'user',
      content: script({ tool: 'merge', input: { a: 'ä' } }, { text: 'done' }),
    } as const;
    const first = await clientOf(running)
      .messages.stream({ ...base, tools, messages: [prompt] })
      .finalMessage();
    expect(first.content.map((block) => block.type)).toEqual([
      'thinking',
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ]);
    const call = first.content.find((block) => block.type === 'tool_use');
    expect(call?.input).toEqual({ a: 'ä' });
    const second = await clientOf(running).messages.create({
      ...base,
      tools,
      messages: [
        prompt,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'merged' }] },
      ],
    });
    expect(second.content.at(-1)).toMatchObject({ type: 'text', text: 'done' });
  });

  test('errors arrive as its own classes, with the request id', async () => {
    await using running = await startSimulator();
    const client = clientOf(running);
    const ask = (model: string, headers: Record<string, string> = {}): Promise<unknown> =>
      client.messages.create(
        { model, max_tokens: 10, messages: [{ role: 'user', content: 'x' }] },
        { headers },
      );
    await expect(ask('claude-nope')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(ask('claude-opus-5-5', { 'x-simulator-fault': '429' })).rejects.toBeInstanceOf(
      Anthropic.RateLimitError,
    );
    await expect(ask('claude-nope')).rejects.toMatchObject({ requestID: expect.stringMatching(/^req_/) });
  });

  test('it retries what may be retried, and then succeeds', async () => {
    await using running = await startSimulator();
    const client = new Anthropic({ apiKey: 'k', baseURL: running.url, maxRetries: 1 });
    const fault = followedBy(
      { fault: 'status', status: 529, headers: { 'retry-after-ms': '1' } },
      { text: 'at last' },
    );
    const message = await client.messages.create({
      model: 'claude-opus-5-5',
      max_tokens: 10,
      messages: [{ role: 'user', content: script(fault) }],
    });
    expect(message.content).toEqual([{ type: 'text', text: 'at last' }]);
    expect(running.simulator.requests().map((request) => request.status)).toEqual([529, 200]);
  });

  test('count_tokens and models', async () => {
    await using running = await startSimulator();
    const client = clientOf(running);
    const count = await client.messages.countTokens({
      model: 'claude-opus-5-5',
      tools,
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(count.input_tokens).toBeGreaterThan(20);
    const models = await client.models.list();
    expect(models.data.some((model) => model.id === 'claude-opus-5-5')).toBe(true);
  });

  test('LE2: with o200k a text costs 1.69 times its tokens', async () => {
    await using running = await startSimulator({ countTokens });
    const content = 'The quick brown fox jumps over the lazy dog. '.repeat(40);
    const message = await clientOf(running).messages.create({
      model: 'claude-opus-5-5',
      max_tokens: 10,
      messages: [{ role: 'user', content }],
    });
    expect(message.usage.input_tokens).toBe(Math.round(countTokens(content) * 1.69));
  });
});
