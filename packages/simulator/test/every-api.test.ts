import { describe, expect, test } from 'vitest';
import { declaration, sendGemini } from './gemini-harness.ts';
import { followedBy, requestOf, script, startSimulator, tool } from './harness.ts';
import type { Loose, Reply, Running } from './harness.ts';
import { chatTool, functionTool, sendOpenai } from './openai-harness.ts';

interface Answer {
  readonly reply: Reply;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Loose }[];
  /** The history with the answer and a result for each of its calls. */
  readonly answered: readonly Loose[];
}

/** One API, driven the same way as the others: a history of its own messages goes in, an answer comes out. */
interface Api {
  readonly name: string;
  readonly model: string;
  say(text: string): Loose;
  ask(running: Running, history: readonly Loose[], headers?: Record<string, string>): Promise<Answer>;
}

const messages: Api = {
  name: 'messages',
  model: 'claude-opus-5-5',
  say: (text) => ({ role: 'user', content: text }),
  async ask(running, history, headers) {
    const reply = await running.send(requestOf({ tools: [tool('delegate')], messages: history }), headers);
    const content: Loose[] = reply.json.content ?? [];
    const calls = content.filter((block) => block.type === 'tool_use');
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'r' }));
    return {
      reply,
      text: content.map((block) => block.text ?? '').join(''),
      calls,
      answered: [...history, { role: 'assistant', content }, { role: 'user', content: results }],
    };
  },
};

const responses: Api = {
  name: 'responses',
  model: 'gpt-5.6-sol',
  say: (text) => ({ role: 'user', content: text }),
  async ask(running, history, headers) {
    const body = { model: this.model, tools: [functionTool('delegate')], input: history };
    const reply = await sendOpenai(running, '/v1/responses', body, headers);
    const output: Loose[] = reply.json.output ?? [];
    const calls = output.filter((item) => item.type === 'function_call');
    return {
      reply,
      text: output.map((item) => item.content?.[0].text ?? '').join(''),
      calls: calls.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) })),
      answered: [
        ...history,
        ...output,
        ...calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'r' })),
      ],
    };
  },
};

const chat: Api = {
  name: 'chat',
  model: 'gpt-5.5',
  say: (text) => ({ role: 'user', content: text }),
  async ask(running, history, headers) {
    const body = { model: this.model, tools: [chatTool('delegate')], messages: history };
    const reply = await sendOpenai(running, '/v1/chat/completions', body, headers);
    const message: Loose = reply.json.choices?.[0].message ?? {};
    const calls: Loose[] = message.tool_calls ?? [];
    return {
      reply,
      text: message.content ?? '',
      calls: calls.map((call) => ({ name: call.function.name, input: JSON.parse(call.function.arguments) })),
      answered: [
        ...history,
        message,
        ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'r' })),
      ],
    };
  },
};

const gemini: Api = {
  name: 'gemini',
  model: 'gemini-3.8-flash',
  say: (text) => ({ role: 'user', parts: [{ text }] }),
  async ask(running, history, headers) {
    const body = { tools: [{ functionDeclarations: [declaration('delegate')] }], contents: history };
    const reply = await sendGemini(running, `${this.model}:generateContent`, body, headers);
    const content: Loose = reply.json.candidates?.[0].content ?? { parts: [] };
    const calls: Loose[] = content.parts.flatMap((part: Loose) => part.functionCall ?? []);
    const results = calls.map(({ name, id }) => ({ functionResponse: { name, id, response: {} } }));
    return {
      reply,
      text: content.parts.map((part: Loose) => part.text ?? '').join(''),
      calls: calls.map(({ name, args }) => ({ name, input: args })),
      answered: [...history, content, { role: 'user', parts: results }],
    };
  },
};

describe.each([messages, responses, chat, gemini])('on $name', (api) => {
  test('an agent with two sub-agents runs from the prompt alone', async () => {
    await using running = await startSimulator();
    const prompts = ['one', 'two'].map((name) => `##${JSON.stringify([{ text: `from ${name}` }])}##`);
    const delegations = prompts.map((prompt) => ({ tool: 'delegate', input: { prompt } }));
    const history = [api.say(script({ tools: delegations }, { text: 'both are back' }))];
    const first = await api.ask(running, history);
    expect(first.calls).toMatchObject([
      { name: 'delegate', input: { prompt: prompts[0] } },
      { name: 'delegate', input: { prompt: prompts[1] } },
    ]);
    const answers = first.calls.map(({ input }) => api.ask(running, [api.say(input.prompt)]));
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(['from one', 'from two']);
    expect((await api.ask(running, first.answered)).text).toBe('both are back');
  });

  test("the test's own script decides by the conversation, and the prompt where it does not", async () => {
    const seen: Loose[] = [];
    await using running = await startSimulator({
      script(conversation) {
        seen.push(conversation);
        const isFirst = conversation.turns.length === 1;
        return isFirst ? { text: 'I delegate.', tool: 'delegate', input: { a: 'b' } } : undefined;
      },
    });
    const first = await api.ask(running, [api.say(script({ text: 'never' }, { text: 'from the prompt' }))]);
    expect([first.text, first.calls]).toMatchObject([
      'I delegate.',
      [{ name: 'delegate', input: { a: 'b' } }],
    ]);
    expect((await api.ask(running, first.answered)).text).toBe('from the prompt');
    expect(seen).toMatchObject([
      { api: api.name, model: api.model, turns: [{ isUser: true }], prompt: expect.stringMatching(/^@@/) },
      {
        turns: [{ isUser: true }, { isUser: false, text: 'I delegate.' }, ...seen[1].turns.slice(2)],
        prompt: '',
      },
    ]);
    expect([...seen[0].tools.keys()]).toEqual(['delegate']);
  });

  test("a fault of the test's own script happens as often as it says", async () => {
    await using running = await startSimulator({
      script: () => followedBy({ fault: 'status', status: 503, times: 2 }, { text: 'at last' }),
    });
    const statuses: number[] = [];
    for (let time = 0; time < 3; time += 1)
      statuses.push((await api.ask(running, [api.say('x')])).reply.status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  test("a status in the header comes in the vendor's envelope, and is on the record", async () => {
    await using running = await startSimulator();
    const { reply } = await api.ask(running, [api.say('x')], { 'x-simulator-fault': '429;retry-after=3' });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '3']);
    expect(typeof reply.json.error.message).toBe('string');
    expect(running.last()).toMatchObject({ status: 429, error: { type: 'simulator_fault' }, cost: null });
  });

  test('a small window makes a prompt overflow', async () => {
    await using running = await startSimulator({ contextTokens: { [api.model]: 60 } });
    const { reply } = await api.ask(running, [api.say('x'.repeat(400))]);
    expect(reply.status).toBe(400);
    expect(reply.json.error.message).toMatch(/too long|context window|context length|token count/);
    expect((await api.ask(running, [api.say('x')])).text).toBe('ok');
  });

  test('the record has no word of the prompt', async () => {
    await using running = await startSimulator();
    await api.ask(running, [api.say('topsecret')]);
    expect(running.last()).toMatchObject({ model: api.model, toolsDeclared: ['delegate'], status: 200 });
    expect(running.last().prefixTokens).toBeGreaterThan(0);
    expect(JSON.stringify(running.simulator.requests())).not.toContain('topsecret');
  });

  test('the hashes of a later turn begin with those of an earlier one', async () => {
    await using running = await startSimulator();
    const first = await api.ask(running, [api.say('call delegate')]);
    const before = running.last().renderedPrefixHashes;
    await api.ask(running, first.answered);
    const after = running.last().renderedPrefixHashes;
    expect(after.length).toBeGreaterThan(before.length);
    expect(after.slice(0, before.length)).toEqual(before);
  });
});
