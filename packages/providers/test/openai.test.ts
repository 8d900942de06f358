import type { AssistantMessage, Message } from '@quartermaster/agent/messages';
import { catalog } from '@quartermaster/catalog';
import { createOpenAiChatModel, createOpenAiResponsesModel } from '@quartermaster/providers';
import type { LanguageModel, ModelRequest } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { toChatBody } from '../src/openai/chat-body.ts';
import { toResponsesBody } from '../src/openai/responses-body.ts';
import { answerOf, apiKey, ask, results, tool, user } from './support/simulated.ts';
import type { Answer } from './support/simulated.ts';
import { listen } from './support/upstream.ts';

/** Asks a server that answers with these events. */
async function answerTo(create: (url: URL) => LanguageModel, events: readonly unknown[]): Promise<Answer> {
  await using upstream = await listen((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
  );
  return await answerOf(create(upstream.url), ask('hello'));
}

describe('Responses', () => {
  const model = (baseUrl: URL) =>
    createOpenAiResponsesModel({
      provider: 'openai',
      id: 'gpt-6.2-sol',
      apiKey,
      baseUrl,
      catalog,
      terms: { maxRetries: 0 },
    });
  const bodyOf = (request: ModelRequest, id = 'gpt-6.2-sol') =>
    toResponsesBody(request, {
      api: 'openai-responses',
      lateTools: 'tail' as const,
      searchesTools: true,
      provider: 'openai',
      id,
      known: catalog.find(id),
    });
  const done = (items: readonly unknown[], changes: object = {}) => [
    ...items.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item })),
    { type: 'response.completed', response: { status: 'completed', output: items, ...changes } },
  ];
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VjcmV0' };
  const said = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    phase: 'commentary',
    content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
  };
  const called = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'read',
    arguments: '{ "path": "\\u00e4" }',
    status: 'completed',
  };

  test('RP3: thoughts, ids, phases and the very text of arguments go back as they came', async () => {
    const { message } = await answerTo(model, done([thought, said, called]));
    expect(message.content).toMatchObject([
      { type: 'reasoning' },
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', callId: 'call_1', input: { path: 'ä' } },
    ]);
    const { input } = bodyOf(ask('', { messages: [user('x'), message, results(message, '')] }));
    expect(input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      thought,
      said,
      called,
      { type: 'function_call_output', call_id: 'call_1', output: '' },
    ]);
  });

  test('RP3: another model gets the words and calls alone, without ids that tie them to thoughts', async () => {
    const { message } = await answerTo(model, done([thought, said, called]));
    const { input } = bodyOf(ask('', { messages: [message] }), 'gpt-5.5');
    expect(JSON.stringify(input)).not.toMatch(/c2VjcmV0|rs_1|msg_1|fc_1/);
    expect(input).toMatchObject([
      { role: 'assistant', content: 'I look.', phase: 'commentary' },
      { type: 'function_call', call_id: 'call_1', arguments: called.arguments },
    ]);
  });

  test('RP3: a thought without its encrypted content, or without what followed, stays away with the ids', async () => {
    const { encrypted_content: _, ...bare } = thought;
    const unsealed = (await answerTo(model, done([bare, called]))).message;
    expect(JSON.stringify(bodyOf(ask('', { messages: [unsealed] })).input)).not.toMatch(/rs_1|fc_1/);
    const ended = (await answerTo(model, done([said, thought]))).message;
    expect(bodyOf(ask('', { messages: [ended] })).input).toEqual([said]);
  });

  test('RP3: content of several parts goes back as it came', async () => {
    const parts = {
      ...said,
      content: [
        ...said.content,
        { type: 'output_text', text: ' Then.', annotations: [{ type: 'url_citation' }] },
      ],
    };
    const { message } = await answerTo(model, done([parts]));
    expect(message.content).toMatchObject([{ text: 'I look. Then.' }]);
    expect(bodyOf(ask('', { messages: [message] })).input).toEqual([parts]);
  });

  test('RP2: reasons to stop', async () => {
    const refused = { ...said, content: [{ type: 'refusal', refusal: 'I will not.' }] };
    expect((await answerTo(model, done([refused]))).message).toMatchObject({
      stopReason: 'refusal',
      content: [{ text: 'I will not.' }],
    });
    const cut = (reason: string) => [
      {
        type: 'response.incomplete',
        response: { status: 'incomplete', incomplete_details: { reason }, output: [said] },
      },
    ];
    expect((await answerTo(model, cut('max_output_tokens'))).message).toMatchObject({
      stopReason: 'max-tokens',
      content: [{ text: 'I look.' }],
    });
    expect((await answerTo(model, cut('content_filter'))).message.stopReason).toBe('refusal');
  });

  test.each([
    ['rate_limit_exceeded', 'PROVIDER_RATE_LIMITED'],
    ['server_error', 'PROVIDER_OVERLOADED'],
    ['invalid_prompt', 'PROVIDER_REFUSED'],
    ['context_length_exceeded', 'PROVIDER_CONTEXT_OVERFLOW'],
    ['invalid_image', 'PROVIDER_BAD_REQUEST'],
  ])('RP2: a response that failed with %s is %s', async (code, expected) => {
    const failed = { status: 'failed', output: [], error: { code, message: 'no' } };
    await expect(answerTo(model, [{ type: 'response.failed', response: failed }])).rejects.toMatchObject({
      code: expected,
    });
    await expect(
      answerTo(model, [{ type: 'error', code, message: 'no', param: null }]),
    ).rejects.toMatchObject({
      provider: 'openai',
    });
  });

  test('RP1: nothing is stored at the vendor, and thoughts are asked for where there are some', () => {
    const body = bodyOf(
      ask('x', { reasoning: 'high', cacheKey: 'session-1', temperature: 0, maxOutputTokens: 5 }),
    );
    expect(body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'high', summary: 'auto' },
      prompt_cache_key: 'session-1',
      max_output_tokens: 16,
    });
    expect(body).not.toHaveProperty('temperature');
    const plain = bodyOf(ask('x', { reasoning: 'high', temperature: 0 }), 'gpt-4.1');
    expect(plain).toMatchObject({ temperature: 0 });
    expect(plain).not.toHaveProperty('include');
    expect(plain).not.toHaveProperty('reasoning');
  });

  test.each([
    ['gpt-6.2-sol', 'none'],
    ['gpt-6-astra', 'low'],
    ['gpt-5.5-pro', 'medium'],
    ['gpt-5', 'minimal'],
    ['gpt-5-nano', 'minimal'],
    ['gpt-7', 'none'],
    ['o3', 'low'],
  ])('RP1: %s thinks the least with effort %s', (id, effort) => {
    expect(bodyOf(ask('x', { reasoning: 'off' }), id).reasoning).toEqual({ effort });
  });

  test.each([
    ['gpt-6.2-sol', 'low'],
    ['gpt-5.5-pro', 'medium'],
    ['o3', 'low'],
  ])('RP1: %s is asked for little thought with effort %s', (id, effort) => {
    expect(bodyOf(ask('x', { reasoning: 'low' }), id).reasoning).toMatchObject({ effort });
    expect(bodyOf(ask('x'), id)).not.toHaveProperty('reasoning');
  });

  test('RP1: what does not think is not asked to', () => {
    for (const id of ['gpt-4.1', 'gpt-4o', 'gpt-5-chat-latest']) {
      expect(bodyOf(ask('x', { reasoning: 'high' }), id)).not.toHaveProperty('reasoning');
    }
  });

  test('RP1: the form of an answer is strict where each member is required', () => {
    const properties = { a: { type: 'string' } };
    const formatOf = (schema: { [key: string]: string | string[] | typeof properties }) =>
      bodyOf(ask('x', { structuredOutput: { name: 'my answer', schema } })).text?.format;
    expect(formatOf({ type: 'object', properties, required: ['a'] })).toMatchObject({
      strict: true,
      schema: { additionalProperties: false },
      name: expect.stringMatching(/^[\w-]+$/),
    });
    expect(formatOf({ type: 'object', properties })).toMatchObject({ strict: false });
  });
});

describe('Chat Completions of another provider', () => {
  const model = (baseUrl: URL) =>
    createOpenAiChatModel({
      provider: 'elsewhere',
      id: 'open-1',
      apiKey,
      baseUrl,
      catalog,
      terms: { maxRetries: 0 },
    });
  const bodyOf = (request: ModelRequest, provider = 'elsewhere') =>
    toChatBody(request, { api: 'openai-chat', provider, id: 'open-1', known: undefined });
  const chunk = (delta: unknown, finish: string | null = null) => ({
    id: 'chatcmpl-1',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

  test('RP3: thoughts and signatures go back under the names that the server gave them', async () => {
    const signature = { google: { thought_signature: 'c2VjcmV0' } };
    const { message, reasoning } = await answerTo(model, [
      chunk({ role: 'assistant', reasoning_content: 'I th' }),
      chunk({ reasoning_content: 'ink.' }),
      chunk({
        tool_calls: [
          {
            index: 0,
            id: 'call_1',
            type: 'function',
            function: { name: 'read', arguments: '{"p":' },
            extra_content: signature,
          },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ' 1}' } }] }),
      chunk({}, 'tool_calls'),
    ]);
    expect(reasoning).toBe('I think.');
    expect(message.stopReason).toBe('tool-calls');
    const { messages } = bodyOf(ask('', { messages: [user('x'), message, results(message)] }));
    expect(messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I think.',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'read', arguments: '{"p": 1}' },
            extra_content: signature,
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ]);
    const other: AssistantMessage = { ...message, model: { provider: 'elsewhere', id: 'open-2' } };
    expect(JSON.stringify(bodyOf(ask('', { messages: [other] })))).not.toContain('reasoning_content');
  });

  test('RP3: a thought under two names is shown once, and goes back under both', async () => {
    const twice = (thought: string) => chunk({ reasoning: thought, reasoning_content: thought });
    const { message, reasoning } = await answerTo(model, [
      twice('a'),
      twice('b'),
      chunk({ content: 'c' }, 'stop'),
    ]);
    expect(reasoning).toBe('ab');
    expect(bodyOf(ask('', { messages: [message], system: '' })).messages).toEqual([
      { role: 'assistant', reasoning_content: 'ab', reasoning: 'ab', content: 'c' },
    ]);
  });

  test('RP1: calls without ids, and ones that end with `stop`, are calls', async () => {
    const call = (index: number) => ({ index, function: { name: 'read', arguments: '' } });
    const { message } = await answerTo(model, [chunk({ tool_calls: [call(0), call(1)] }), chunk({}, 'stop')]);
    expect(message.stopReason).toBe('tool-calls');
    expect(message.content).toMatchObject([
      { type: 'tool-call', callId: 'chatcmpl-1-0', input: {} },
      { type: 'tool-call', callId: 'chatcmpl-1-1', input: {} },
    ]);
  });

  test('RP1: calls without an index are told apart by their ids', async () => {
    const call = (id: string | undefined, written: string) => ({
      id,
      function: { name: 'read', arguments: written },
    });
    const { message } = await answerTo(model, [
      chunk({ tool_calls: [call('a', '{"path":'), call('b', '{"path": "2"')] }),
      chunk({ tool_calls: [call('a', '"1"}')] }),
      chunk({ tool_calls: [call(undefined, '}')] }),
      chunk({}, 'tool_calls'),
    ]);
    expect(message.content).toMatchObject([
      { callId: 'a', input: { path: '1' } },
      { callId: 'b', input: { path: '2' } },
    ]);
  });

  test('RP1: what a server leaves out of a chunk is nothing, and its words may come in parts', async () => {
    const parts = [
      { type: 'thinking', thinking: [] },
      { type: 'text', text: 'hel' },
      { type: 'text', text: 'lo' },
    ];
    const { text, message } = await answerTo(model, [
      { id: 'x' },
      chunk({ content: parts }, ''),
      { id: 'x', choices: [{ index: 0, finish_reason: 'stop' }] },
    ]);
    expect([text, message.stopReason]).toEqual(['hello', 'end']);
    // An empty reason is none: the answer was not whole.
    await expect(answerTo(model, [chunk({ content: 'hel' }, '')])).rejects.toMatchObject({
      code: 'PROVIDER_STREAM_BROKEN',
    });
  });

  test('RP1: arguments that are no JSON go back as JSON, since servers read them', async () => {
    const written = { index: 0, id: 'c', function: { name: 'read', arguments: '{"path": "a' } };
    const { message } = await answerTo(model, [chunk({ tool_calls: [written] }), chunk({}, 'length')]);
    expect(message).toMatchObject({ stopReason: 'max-tokens', content: [{ input: '{"path": "a' }] });
    expect(bodyOf(ask('', { messages: [message] })).messages.at(-1)).toMatchObject({
      tool_calls: [{ function: { arguments: JSON.stringify({ INVALID_JSON: '{"path": "a' }) } }],
    });
  });

  test('RP2: no usage is not 0, and no price is no cost', async () => {
    const { finished } = await answerTo(model, [chunk({ content: 'a' }, 'stop')]);
    expect(Object.values(finished.usage)).toEqual(Array(5).fill(undefined));
    const usage = { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
    const told = await answerTo(model, [chunk({ content: 'a' }, 'stop'), { id: 'x', choices: [], usage }]);
    expect(told.finished.usage).toMatchObject({
      inputTokens: 5,
      cacheReadTokens: 4,
      outputTokens: 2,
      costUsd: undefined,
    });
  });

  test('RP2: an error in the stream may have a status for its code', async () => {
    await expect(answerTo(model, [{ error: { code: 429, message: 'slow' } }])).rejects.toMatchObject({
      code: 'PROVIDER_RATE_LIMITED',
    });
  });

  test('RP1: only OpenAI gets what only OpenAI knows', () => {
    const request = ask('x', { maxOutputTokens: 9, cacheKey: 'k', tools: [tool('a')] });
    expect(bodyOf(request)).toMatchObject({ max_tokens: 9 });
    expect(bodyOf(request)).not.toHaveProperty('prompt_cache_key');
    expect(bodyOf(request, 'openai')).toMatchObject({ max_completion_tokens: 9, prompt_cache_key: 'k' });
    expect(bodyOf(request, 'openai')).not.toHaveProperty('max_tokens');
  });

  test('RP1: texts of one message are one', () => {
    const message: Message = {
      role: 'user',
      id: 'u',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    };
    expect(bodyOf(ask('', { messages: [message], system: '' })).messages).toEqual([
      { role: 'user', content: 'a\n\nb' },
    ]);
  });
});
