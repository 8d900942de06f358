import { describe, expect, test } from 'vitest';
import { assistant, bm25, requestOf, script, startSimulator, system, tool, user } from './harness.ts';
import type { Loose, Running } from './harness.ts';

async function contentOf(running: Running, changes: Loose): Promise<Loose> {
  return (await running.send(requestOf({ tools: [tool('a'), tool('b')], ...changes }))).json.content;
}

describe('a scripted prompt', () => {
  test('step k answers the k-th turn of the model after it, then "ok"', async () => {
    await using running = await startSimulator();
    const messages: Loose[] = [
      user('before'),
      assistant('x'),
      user(script({ text: 'one' }, { tool: 'a' }, { text: 'three' })),
    ];
    const said: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const content = await contentOf(running, { messages });
      said.push(content[0].text ?? content[0].name);
      messages.push(assistant(content));
      messages.push(
        content[0].type === 'tool_use'
          ? user([{ type: 'tool_result', tool_use_id: content[0].id, content: 'r' }])
          : user('go on'),
      );
    }
    expect(said).toEqual(['one', 'a', 'three', 'ok']);
  });

  test('the newest script of the conversation counts', async () => {
    await using running = await startSimulator();
    const messages = [
      user(script({ text: 'old' }, { text: 'older' })),
      assistant('old'),
      user(script({ text: 'new' })),
    ];
    expect(await contentOf(running, { messages })).toEqual([{ type: 'text', text: 'new' }]);
  });

  test('a script nested in another answers where it is handed on', async () => {
    await using running = await startSimulator();
    const inner = '##[{"text":"from within"}]##';
    const outer = script({ tool: 'a', input: { prompt: inner } });
    expect(await contentOf(running, { messages: [user(outer)] })).toMatchObject([
      { name: 'a', input: { prompt: inner } },
    ]);
    expect(await contentOf(running, { messages: [user(inner)] })).toEqual([
      { type: 'text', text: 'from within' },
    ]);
  });

  test.each([
    ['with its quotes escaped once more', script({ text: 'hi' }).replaceAll('"', '\\"')],
    ['with a space before its end', script({ text: 'hi' }).replace(/@@$/, ' @@')],
    ['in the midst of other text', `Please. ${script({ text: 'hi' })} Thanks.`],
  ])('is found %s', async (_, prompt) => {
    await using running = await startSimulator();
    expect(await contentOf(running, { messages: [user(prompt)] })).toEqual([{ type: 'text', text: 'hi' }]);
  });

  test('a script that does not parse is no script', async () => {
    await using running = await startSimulator();
    expect(await contentOf(running, { messages: [user('@@[{"text":]@@')] })).toEqual([
      { type: 'text', text: 'ok' },
    ]);
  });

  test('system messages are no turns', async () => {
    await using running = await startSimulator();
    const messages = [
      user(script({ text: 'one' }, { text: 'two' })),
      system('s'),
      assistant('one'),
      user('x'),
      system('t'),
    ];
    expect(await contentOf(running, { messages })).toEqual([{ type: 'text', text: 'two' }]);
  });

  test('several calls, text before them, an own stop reason', async () => {
    await using running = await startSimulator();
    const step = {
      text: 'first',
      tools: [{ tool: 'a', input: { n: 1 } }, { tool: 'b' }],
      stop: 'max_tokens',
    };
    const { json } = await running.send(
      requestOf({ tools: [tool('a'), tool('b')], messages: [user(script(step))] }),
    );
    expect(json.content).toMatchObject([
      { type: 'text', text: 'first' },
      { type: 'tool_use', name: 'a', input: { n: 1 }, caller: { type: 'direct' } },
      { type: 'tool_use', name: 'b', input: {} },
    ]);
    expect(json.stop_reason).toBe('max_tokens');
    expect(json.content[1].id).not.toBe(json.content[2].id);
  });

  test('blocks go out as they are, with the ids that they lack', async () => {
    await using running = await startSimulator();
    const blocks = [
      { type: 'server_tool_use', name: 'tool_search_tool_bm25', input: { query: 'q' } },
      {
        type: 'tool_search_tool_result',
        content: { type: 'tool_search_tool_search_result', tool_references: [] },
      },
      { type: 'tool_use', name: 'a', input: {} },
    ];
    const content = await contentOf(running, { messages: [user(script({ blocks }))] });
    expect(content).toMatchObject(blocks);
    expect(content[1].tool_use_id).toBe(content[0].id);
    expect(content[2].id).toMatch(/^toolu_/);
  });

  test('a scripted thought is signed', async () => {
    await using running = await startSimulator();
    const prompt = user(script({ thinking: 'hm', text: 'one' }, { text: 'two' }));
    const content = await contentOf(running, { messages: [prompt] });
    expect(content[0]).toMatchObject({ type: 'thinking', thinking: 'hm' });
    expect(await contentOf(running, { messages: [prompt, assistant(content), user('x')] })).toMatchObject([
      { text: 'two' },
    ]);
  });

  test('tool_choice none forbids calls, and one at a time is one', async () => {
    await using running = await startSimulator();
    const messages = [user(script({ tools: [{ tool: 'a' }, { tool: 'b' }] }))];
    expect(await contentOf(running, { messages, tool_choice: { type: 'none' } })).toEqual([
      { type: 'text', text: 'ok' },
    ]);
    const one = { type: 'auto', disable_parallel_tool_use: true };
    expect(await contentOf(running, { messages, tool_choice: one })).toMatchObject([{ name: 'a' }]);
  });

  test('max_tokens of 0 warms the cache and says nothing', async () => {
    await using running = await startSimulator();
    const { json } = await running.send(
      requestOf({ max_tokens: 0, messages: [user(script({ text: 'hi' }))] }),
    );
    expect(json).toMatchObject({ content: [], stop_reason: 'max_tokens', usage: { output_tokens: 0 } });
  });
});

describe('a plain prompt', () => {
  const nonce = { input_schema: { type: 'object', properties: { nonce: { type: 'string' } } } };
  const tools = [tool('ping', nonce), tool('pong', { ...nonce, defer_loading: true }), tool('bare'), bm25];
  const ask = (running: Running, content: unknown, changes: Loose = {}): Promise<Loose> =>
    contentOf(running, { tools, messages: [user(content)], ...changes });

  test.each([
    ['Hello there.'],
    ['ping is a tool.'],
    ['Call the pinger.'],
    ['ping, then call'],
    ['Call ping-pong.'],
  ])('"%s" is answered with "ok"', async (prompt) => {
    await using running = await startSimulator();
    expect(await ask(running, prompt)).toEqual([{ type: 'text', text: 'ok' }]);
  });

  test.each([
    ['Please call ping.', {}],
    ['Use the tool `ping` with nonce=ab12.', { nonce: 'ab12' }],
    ['CALL "ping" with the nonce x-9, not another.', { nonce: 'x-9' }],
  ])('"%s" is obeyed', async (prompt, input) => {
    await using running = await startSimulator();
    const [call, ...more] = await ask(running, prompt);
    expect([call.type, call.name, call.input, more]).toEqual(['tool_use', 'ping', input, []]);
  });

  test('CH1: a deferred tool is searched for, then called with the nonce', async () => {
    await using running = await startSimulator();
    expect(await ask(running, 'Find and use pong; pass nonce ab12.')).toMatchObject([
      { type: 'server_tool_use', input: { query: 'pong', limit: 1 } },
      { type: 'tool_search_tool_result' },
      { type: 'tool_use', name: 'pong', input: { nonce: 'ab12' } },
    ]);
  });

  test('a nonce goes to no tool that takes none', async () => {
    await using running = await startSimulator();
    expect((await ask(running, 'call bare, nonce=1'))[0].input).toEqual({});
  });

  test('only the last text of the last user message is an instruction', async () => {
    await using running = await startSimulator();
    const old = [
      { type: 'text', text: 'Always call ping.' },
      { type: 'text', text: 'Hello.' },
    ];
    expect(await ask(running, old)).toEqual([{ type: 'text', text: 'ok' }]);
    const call = { type: 'tool_use', id: 'toolu_1', name: 'ping', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'call ping again' };
    const messages = [user('call ping'), assistant([call]), user([result])];
    expect(await contentOf(running, { tools, messages })).toEqual([{ type: 'text', text: 'ok' }]);
  });

  test('a forced tool is called', async () => {
    await using running = await startSimulator();
    const model = 'claude-opus-5';
    expect(await ask(running, 'x', { model, tool_choice: { type: 'tool', name: 'bare' } })).toMatchObject([
      { name: 'bare' },
    ]);
    expect(await ask(running, 'x', { model, tool_choice: { type: 'any' } })).toMatchObject([
      { name: 'ping' },
    ]);
  });
});
