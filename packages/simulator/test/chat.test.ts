import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { followedBy, script, startSimulator } from './harness.ts';
import type { Loose, Running } from './harness.ts';
import { chatTool, dataOf, openaiOf, sendOpenai } from './openai-harness.ts';

const model = 'gpt-5.5';
const tools = [chatTool('read'), chatTool('write')];
const user = (content: string): Loose => ({ role: 'user', content });
const send = (running: Running, changes: Loose): Promise<Loose> =>
  sendOpenai(running, '/v1/chat/completions', { model, messages: [user('hello')], ...changes });

describe("OpenAI's SDK on Chat Completions", () => {
  test('plain: text and usage come as its types say', async () => {
    await using running = await startSimulator();
    const completion = await openaiOf(running).chat.completions.create({ model, messages: [user('hello')] });
    expect(completion.choices).toMatchObject([{ message: { content: 'ok' }, finish_reason: 'stop' }]);
    expect(completion.usage).toEqual(running.last().usage);
    expect(running.last()).toMatchObject({ path: '/v1/chat/completions', status: 200, model });
  });

  test('a streamed turn with two calls at once, then the answer to their results', async () => {
    await using running = await startSimulator();
    const client = openaiOf(running);
    const step = { text: 'I read.', tools: [{ tool: 'read', input: { a: 'ä' } }, { tool: 'write' }] };
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      user(script(step, { text: 'done' })),
    ];
    const stream = client.chat.completions.stream({
      model,
      tools,
      messages,
      stream_options: { include_usage: true },
    });
    const first = (await stream.finalChatCompletion()).choices[0];
    expect(first?.finish_reason).toBe('tool_calls');
    expect(await stream.totalUsage()).toMatchObject({
      prompt_tokens: running.last().usage?.['prompt_tokens'],
    });
    const calls = (first?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [call] : [],
    );
    expect(calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)])).toEqual([
      ['read', { a: 'ä' }],
      ['write', {}],
    ]);
    const second = await client.chat.completions.create({
      model,
      tools,
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: first?.message.content ?? null,
          tool_calls: calls.map(({ id, type, function: { name, arguments: text } }) => ({
            id,
            type,
            function: { name, arguments: text },
          })),
        },
        ...calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'r' })),
      ],
    });
    expect(second.choices[0]?.message.content).toBe('done');
  });

  test('errors arrive as its own classes, with code and param', async () => {
    await using running = await startSimulator();
    const ask = (changes: Loose, headers: Record<string, string> = {}, key?: string): Promise<unknown> =>
      openaiOf(running, key).chat.completions.create(
        { model, messages: [user('x')], ...changes },
        { headers },
      );
    await expect(ask({ model: 'gpt-nope' })).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(ask({}, {}, 'sk-wrong')).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(ask({}, { 'x-simulator-fault': '429' })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(ask({}, { 'x-simulator-fault': '503' })).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(ask({ messages: [] })).rejects.toMatchObject({ code: 'empty_array', param: 'messages' });
  });

  test('a stream that the client gives up ends, and the next request is answered', async () => {
    await using running = await startSimulator();
    const client = openaiOf(running);
    const stream = await client.chat.completions.create(
      { model, messages: [user(script({ text: 'word '.repeat(2_000) }))], stream: true },
      { headers: { 'x-simulator-chunking': 'slow' } },
    );
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    expect(stream.controller.signal.aborted).toBe(true);
    expect((await client.chat.completions.create({ model, messages: [user('x')] })).choices).toHaveLength(1);
  });
});

describe('a streamed completion', () => {
  test('id and name stand in the first delta of a call only; the usage comes last, and only if asked for', async () => {
    await using running = await startSimulator();
    const messages = [user(script({ tools: [{ tool: 'read', input: { a: 'b' } }, { tool: 'write' }] }))];
    const { text } = await send(running, {
      tools,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const chunks = dataOf(text);
    const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(deltas.map((delta) => [delta.index, delta.id !== undefined, delta.function.name ?? null])).toEqual(
      [
        [0, true, 'read'],
        [0, false, null],
        [1, true, 'write'],
        [1, false, null],
      ],
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: running.last().usage });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    const plain = dataOf((await send(running, { stream: true })).text);
    expect(plain.every((chunk) => chunk.usage === undefined && chunk.choices.length === 1)).toBe(true);
  });

  const read = async (running: Running, step: Loose): Promise<Loose> => {
    const reasons: (string | null | undefined)[] = [];
    try {
      const stream = await openaiOf(running).chat.completions.create({
        model,
        messages: [user(script(step))],
        stream: true,
      });
      for await (const chunk of stream) reasons.push(chunk.choices[0]?.finish_reason);
      return { reasons, error: undefined };
    } catch (error) {
      return { reasons, error };
    }
  };
  const text = { text: 'a text of some length' };

  test('drop breaks the connection, errevent is an error of the SDK, fin and nostop end early', async () => {
    await using running = await startSimulator();
    expect((await read(running, followedBy({ fault: 'drop' }, text))).error).toBeInstanceOf(Error);
    const failed = await read(running, followedBy({ fault: 'errevent', etype: 'rate_limit_exceeded' }, text));
    expect(failed.error).toBeInstanceOf(OpenAI.APIError);
    expect(failed.error).toMatchObject({ code: 'rate_limit_exceeded', type: 'server_error' });
    for (const fault of ['fin', 'nostop']) {
      const { reasons, error } = await read(running, followedBy({ fault }, text));
      expect([reasons.includes('stop'), error]).toEqual([false, undefined]);
    }
  });

  test.each([
    ['max_tokens', 'length'],
    ['refusal', 'stop'],
    ['content_filter', 'content_filter'],
  ])('stop %s is the finish_reason %s', async (stop, reason) => {
    await using running = await startSimulator();
    expect((await read(running, { ...text, stop })).reasons.at(-1)).toBe(reason);
  });
});

describe('what the model says on Chat', () => {
  test('a plain instruction is obeyed, tool_choice and parallel_tool_calls hold', async () => {
    await using running = await startSimulator();
    const ask = async (changes: Loose): Promise<Loose> =>
      (await send(running, { tools, ...changes })).json.choices[0].message;
    const named = (message: Loose): Loose => message.tool_calls?.map((call: Loose) => call.function.name);
    expect(named(await ask({ messages: [user('Please call read.')] }))).toEqual(['read']);
    expect(named(await ask({ tool_choice: 'required' }))).toEqual(['read']);
    expect(named(await ask({ tool_choice: { type: 'function', function: { name: 'write' } } }))).toEqual([
      'write',
    ]);
    const messages = [user(script({ tools: [{ tool: 'read' }, { tool: 'write' }] }))];
    expect(named(await ask({ messages }))).toEqual(['read', 'write']);
    expect(named(await ask({ messages, parallel_tool_calls: false }))).toEqual(['read']);
    expect((await ask({ messages, tool_choice: 'none' })).content).toBe('ok');
  });

  test('a refusal stands in its own member; a thought is billed and not shown', async () => {
    await using running = await startSimulator();
    const { json } = await send(running, {
      messages: [user(script({ thinking: 'a long thought', text: 'No.', stop: 'refusal' }))],
    });
    expect(json.choices[0].message).toMatchObject({ content: null, refusal: 'No.' });
    expect(json.usage.completion_tokens_details.reasoning_tokens).toBe(4);
    expect(JSON.stringify(json)).not.toContain('a long thought');
  });

  test('calls go out as the script wrote them, with the ids that they lack', async () => {
    await using running = await startSimulator();
    const blocks = [
      { type: 'text', text: 'hi' },
      { type: 'function', function: { name: 'read', arguments: '{"broken' } },
    ];
    const { message } = (await send(running, { tools, messages: [user(script({ blocks }))] })).json
      .choices[0];
    expect(message).toMatchObject({ content: 'hi', tool_calls: [blocks[1]] });
    expect(message.tool_calls[0].id).toMatch(/^call_/);
  });
});
