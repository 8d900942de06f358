import type { AssistantMessage, JsonValue, Message } from '@quartermaster/agent/messages';
import type { ModelRequest } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { toAnthropicBody } from '../src/anthropic/body.ts';
import { simulatedVendors } from './support/simulated-vendors.ts';
import { answerOf, ask, results, script, startSimulator, tool, user } from './support/simulated.ts';
import { listen } from './support/upstream.ts';

const [{ modelAt }] = simulatedVendors;

function bodyOf(request: ModelRequest, id = 'claude-opus-5-5') {
  return toAnthropicBody(request, {
    api: 'anthropic-messages',
    lateTools: 'tail' as const,
    searchesTools: true,
    provider: 'anthropic',
    id,
    maxOutputTokens: 64_000,
  });
}

function answer(content: AssistantMessage['content']): AssistantMessage {
  const model = { provider: 'anthropic', id: 'claude-opus-5-5' };
  return { role: 'assistant', id: 'a', content, model, stopReason: 'end' };
}

function call(input: JsonValue): AssistantMessage {
  return answer([{ type: 'tool-call', callId: 'c1', name: 'read', input }]);
}

describe('thinking and temperature', () => {
  const cases: readonly [string, NonNullable<ModelRequest['reasoning']>, unknown][] = [
    ['claude-opus-5-5', 'off', { output_config: { effort: 'low' } }],
    [
      'claude-opus-5-5',
      'high',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    ],
    ['claude-fable-5-1', 'off', { output_config: { effort: 'low' } }],
    ['claude-opus-5', 'off', { thinking: { type: 'disabled' } }],
    [
      'claude-opus-4-6',
      'medium',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    ],
    ['claude-sonnet-4-5-20250929', 'off', { thinking: { type: 'disabled' }, temperature: 0.5 }],
    ['claude-sonnet-4-5-20250929', 'medium', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
    ['claude-3-5-haiku-20241022', 'high', { temperature: 0.5 }],
    ['anthropic/claude-opus-4.8', 'off', { thinking: { type: 'disabled' }, temperature: 0.5 }],
    ['anthropic/claude-sonnet-5.5', 'off', { output_config: { effort: 'low' } }],
    [
      'us.anthropic.claude-opus-4-5-20251101-v1:0',
      'off',
      { thinking: { type: 'disabled' }, temperature: 0.5 },
    ],
    ['claude-sonnet-4-20250514', 'medium', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
    ['claude-opus-10', 'off', { output_config: { effort: 'low' } }],
    [
      'anthropic/claude-opus-4.8',
      'low',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    [
      'claude-next',
      'low',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
  ];

  test.each(cases)('RP1: %s with reasoning %s is asked as it takes it', (id, reasoning, expected) => {
    const { thinking, output_config, temperature } = bodyOf(ask('x', { reasoning, temperature: 0.5 }), id);
    expect({ thinking, output_config, temperature }).toEqual({
      thinking: undefined,
      output_config: undefined,
      temperature: undefined,
      ...(expected as object),
    });
  });

  test('RP1: a budget leaves room for the answer, and is left out where there is none', () => {
    const of = (maxOutputTokens: number) =>
      bodyOf(ask('x', { reasoning: 'high', maxOutputTokens }), 'claude-sonnet-4-5').thinking;
    expect(of(8_000)).toEqual({ type: 'enabled', budget_tokens: 6_976 });
    expect(of(2_000)).toBeUndefined();
  });
});

describe('cache marks', () => {
  const mark = { type: 'ephemeral' };

  test('RP2: the last tool, the system prompt, the end and the end of the request before, and nothing else', () => {
    const messages: readonly Message[] = [
      user('one'),
      call({}),
      results(call({})),
      call({}),
      results(call({})),
    ];
    const body = bodyOf(ask('', { messages, tools: [tool('a'), tool('b')], system: 'Be brief.' }));
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
    expect(body.tools?.at(-1)).toMatchObject({ name: 'b', cache_control: mark });
    expect(body.system).toMatchObject([{ cache_control: mark }]);
    expect(body.messages[2]?.content).toMatchObject([{ type: 'tool_result', cache_control: mark }]);
    expect(body.messages[4]?.content).toMatchObject([{ type: 'tool_result', cache_control: mark }]);
  });

  test('RP2: a turn of more blocks than the provider looks back over still reads what was written', async () => {
    await using upstream = await startSimulator();
    const blocks = Array.from({ length: 30 }, (_, index) => ({ type: 'text', text: `block ${index}` }));
    const call = { type: 'tool_use', name: 'read', input: {} };
    let messages: readonly Message[] = [user(script({ blocks: [...blocks, call] }, { text: 'done' }))];
    const system = 'A long prompt that is worth a place in the cache. '.repeat(400);
    const usages = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const { message, finished } = await answerOf(
        modelAt(upstream),
        ask('', { messages, system, tools: [tool('read')] }),
      );
      usages.push(finished.usage);
      messages = [...messages, message, results(message)];
    }
    const [first, second] = usages;
    expect(first?.cacheWriteTokens).toBeGreaterThan(1_000);
    expect(second?.cacheReadTokens).toBe(first?.cacheWriteTokens);
  });
});

describe('what the API does not take', () => {
  test('RP1: blank texts are left out, and a message of nothing else says so', () => {
    const messages: readonly Message[] = [
      user(' \n'),
      answer([{ type: 'text', text: '' }]),
      {
        role: 'user',
        id: 'u',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: ' ' },
        ],
      },
    ];
    expect(bodyOf(ask('', { system: ' ', messages }))).toMatchObject({
      messages: [
        { role: 'user', content: [{ type: 'text', text: '(nothing)' }] },
        { role: 'user', content: [{ type: 'text', text: 'a' }] },
      ],
    });
    expect(bodyOf(ask('x', { system: ' ' }))).not.toHaveProperty('system');
  });

  test('RP1: input that is no object is wrapped, as the vendor says', () => {
    const inputOf = (input: JsonValue) => bodyOf(ask('', { messages: [call(input)] })).messages[0]?.content;
    expect(inputOf('{"path": "a')).toMatchObject([{ input: { INVALID_JSON: '{"path": "a' } }]);
    expect(inputOf([1])).toMatchObject([{ input: { INVALID_JSON: [1] } }]);
    expect(inputOf({ path: 'a' })).toMatchObject([{ input: { path: 'a' } }]);
  });

  test('RP1: a thought from which nothing followed is left out, one in the middle stays', () => {
    const data = { type: 'thinking', thinking: 't', signature: 's' };
    const thought = {
      type: 'reasoning',
      text: 't',
      providerData: { api: 'anthropic-messages', lateTools: 'tail' as const, searchesTools: true, data },
    } as const;
    const messages = [
      user('x'),
      answer([thought, { type: 'text', text: 'a' }, thought]),
      user('y'),
      answer([thought]),
      user('z'),
    ];
    expect(bodyOf(ask('', { messages })).messages.map(({ content }) => content)).toMatchObject([
      [{ text: 'x' }],
      [data, { type: 'text', text: 'a' }],
      [{ text: 'y' }],
      [{ text: 'z' }],
    ]);
  });

  test('RP1: names and ids of another vendor are made legal, the same for call and result', () => {
    const messages: readonly Message[] = [
      answer([{ type: 'tool-call', callId: 'functions.read:0', name: 'functions.read file', input: {} }]),
      {
        role: 'tool',
        id: 't',
        results: [{ callId: 'functions.read:0', name: 'functions.read file', outcome: 'denied', text: 'no' }],
      },
    ];
    const [asked, answered] = bodyOf(ask('', { messages })).messages.map(({ content }) => content[0]);
    expect(asked).toMatchObject({
      id: expect.stringMatching(/^[\w-]{1,64}$/),
      name: expect.stringMatching(/^functions_read_file_[0-9a-f]{12}$/),
    });
    expect(answered).toMatchObject({
      tool_use_id: typeof asked === 'object' && 'id' in asked ? asked.id : '',
      is_error: true,
    });
  });
});

describe('answers', () => {
  async function replyTo(step: unknown, tools = [tool('read')]) {
    await using upstream = await startSimulator();
    return await answerOf(
      modelAt(upstream, undefined, { terms: { maxRetries: 0 } }),
      ask(script(step), { tools }),
    );
  }

  test('RP2: an answer that the window cut says so; one of which nothing was shown is an overflow', async () => {
    const stop = 'model_context_window_exceeded';
    const { message } = await replyTo({ blocks: [{ type: 'text', text: 'half' }], stop });
    expect(message).toMatchObject({ stopReason: 'context-overflow', content: [{ text: 'half' }] });
    await expect(
      replyTo({ blocks: [{ type: 'tool_use', name: 'read', input: {} }], stop }),
    ).rejects.toMatchObject({
      code: 'PROVIDER_CONTEXT_OVERFLOW',
    });
  });

  test('RP2: a turn that the server pauses is one answer, of one bill and one prefix', async () => {
    await using upstream = await startSimulator();
    const search = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tea' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    ];
    const steps = [
      { blocks: [{ type: 'text', text: 'One. ' }, ...search], stop: 'pause_turn' },
      { text: 'Two.', tool: 'read' },
    ];
    const question = user(script(...steps));
    const tools = [tool('read')];
    const { text, message, finished } = await answerOf(
      modelAt(upstream),
      ask('', { messages: [question], tools }),
    );
    expect(text).toBe('One. Two.');
    expect(message.stopReason).toBe('tool-calls');
    expect(message.content).toHaveLength(5);
    expect(finished.usage.costUsd).toBeCloseTo(upstream.simulator.bill().totalUsd, 12);
    await answerOf(modelAt(upstream), ask('', { messages: [question, message, results(message)], tools }));
    expect(upstream.simulator.requests().map(({ status }) => status)).toEqual([200, 200, 200]);
    const hashes = upstream.simulator.requests().map((request) => request.renderedPrefixHashes);
    for (const [index, later] of hashes.entries()) {
      const earlier = hashes[index - 1] ?? [];
      expect(later.slice(0, earlier.length)).toEqual(earlier);
    }
  });

  test.each([
    ['refusal', 'refusal'],
    ['max_tokens', 'max-tokens'],
    ['stop_sequence', 'end'],
    ['something_new', 'other'],
  ])('RP2: stop reason %s is %s', async (stop, stopReason) => {
    const { message } = await replyTo({ blocks: [{ type: 'text', text: 'a' }], stop });
    expect(message.stopReason).toBe(stopReason);
  });

  test('RP3: blocks of the server, redacted thoughts and callers stay as they came, in their places', async () => {
    await using upstream = await startSimulator();
    const blocks = [
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
      { type: 'text', text: 'I search.' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tea', limit: 2 } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'tool_use', id: 'toolu_1', name: 'read', input: {}, caller: { type: 'direct' } },
    ];
    const question = user(script({ blocks }, { text: 'done' }));
    const { message } = await answerOf(
      modelAt(upstream),
      ask('', { messages: [question], tools: [tool('read')] }),
    );
    expect(message.content.map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'reasoning',
      'reasoning',
      'tool-call',
    ]);
    const messages = [question, message, results(message)];
    expect(bodyOf(ask('', { messages })).messages[1]?.content).toEqual(blocks);
    const other = bodyOf(ask('', { messages }), 'claude-sonnet-5-5');
    expect(other.messages[1]?.content).toEqual(blocks.slice(1));
  });

  test('RP1: input that is no JSON stays text; what was cut is no empty input', async () => {
    const events = (partial: string, stop: string): string =>
      [
        { type: 'message_start', message: { usage: {} } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
        },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: partial } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: stop }, usage: {} },
        { type: 'message_stop' },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join('');
    const inputOf = async (partial: string, stop: string) => {
      await using upstream = await listen((_, response) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events(partial, stop)),
      );
      const { message } = await answerOf(modelAt(upstream), ask('x'));
      return message.content;
    };
    expect(await inputOf('{"path": "a', 'max_tokens')).toMatchObject([{ input: '{"path": "a' }]);
    expect(await inputOf('', 'tool_use')).toMatchObject([{ input: {} }]);
    expect(await inputOf('', 'max_tokens')).toMatchObject([{ input: '' }]);
    expect(await inputOf('{"path": "a"}', 'tool_use')).toMatchObject([{ input: { path: 'a' } }]);
  });

  test('RP1: the form of an answer is asked for with closed objects', () => {
    const schema = { $schema: 'x', type: 'object', properties: { a: { type: 'object', properties: {} } } };
    expect(bodyOf(ask('x', { structuredOutput: { name: 'a', schema } })).output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'object', properties: {}, additionalProperties: false } },
          additionalProperties: false,
        },
      },
    });
  });
});
