import { describe, expect, test } from 'vitest';
import { assistant, bm25, requestOf, script, startSimulator, system, tool, user } from './harness.ts';
import type { Loose, Reply, Running } from './harness.ts';

const a = tool('a');
const late = tool('late', { defer_loading: true });
const base = {
  model: 'claude-opus-5-5',
  thinking: { type: 'adaptive' },
  system: [{ type: 'text', text: 'Be brief.' }],
  tools: [a, late, bm25],
};
const prompt = user(script({ text: 'one' }, { text: 'two' }, { text: 'three' }));
const bound =
  /^messages\.1\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\. Remove the block, or set `thinking\.block_binding\.prefix_mismatch_behavior` to "drop_block"\.$/;

/** A first turn, and what a second one says after `changes` to the request. */
async function secondTurn(
  running: Running,
  changes: Loose,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const first = await running.send(requestOf({ ...base, messages: [prompt] }));
  const messages = [prompt, assistant(first.json.content), user('and now')];
  return running.send(requestOf({ ...base, messages, ...changes }), headers);
}

/** The messages of the second turn with the prompt's content changed. */
async function secondTurnSaying(running: Running, content: unknown): Promise<Reply> {
  const first = await running.send(requestOf({ ...base, messages: [prompt] }));
  const messages = [user(content), assistant(first.json.content), user('and now')];
  return running.send(requestOf({ ...base, messages }));
}

describe('the thinking block of a reply', () => {
  test.each([
    ['adaptive', { type: 'adaptive' }, true],
    ['omitted', { type: 'adaptive', display: 'omitted' }, false],
    ['summarized', { type: 'adaptive', display: 'summarized' }, true],
  ])('stands first where thinking is %s', async (_, thinking, isShown) => {
    await using running = await startSimulator();
    const { json } = await running.send(requestOf({ thinking }));
    expect(json.content[0].type).toBe('thinking');
    expect(json.content[0].thinking !== '').toBe(isShown);
    expect(json.content[0].signature).not.toBe('');
    expect(json.usage.output_tokens_details.thinking_tokens).toBeGreaterThan(0);
  });

  test('is not there where nobody asked', async () => {
    await using running = await startSimulator();
    expect((await running.send(requestOf())).json.content).toEqual([{ type: 'text', text: 'ok' }]);
  });
});

describe('§1.11: what breaks the binding and what does not (rule 14)', () => {
  test.each<readonly [string, Loose]>([
    ['nothing changed', {}],
    [
      'one more deferred tool that nothing refers to',
      { tools: [...base.tools, tool('z', { defer_loading: true })] },
    ],
    [
      'a deferred tool edited that nothing refers to',
      { tools: [a, { ...late, description: 'other' }, bm25] },
    ],
    ['a mark added', { tools: [{ ...a, cache_control: { type: 'ephemeral' } }, late, bm25] }],
    ['another effort', { output_config: { effort: 'low' } }],
    ['tool_choice', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    ['another bound model', { model: 'claude-sonnet-5-5' }],
  ])('valid: %s', async (_, changes) => {
    await using running = await startSimulator();
    const reply = await secondTurn(running, changes);
    expect(reply.text).toContain('two');
    expect(running.last().brokenBinding).toBe(false);
  });

  test.each<readonly [string, Loose]>([
    ['a loaded tool added', { tools: [...base.tools, tool('b')] }],
    ['a loaded tool removed', { tools: [late, bm25] }],
    ['a loaded tool renamed', { tools: [tool('b', { description: a['description'] }), late, bm25] }],
    ['a loaded tool edited', { tools: [{ ...a, description: 'other' }, late, bm25] }],
    ['a loaded tool deferred', { tools: [{ ...a, defer_loading: true }, late, bm25] }],
    ['the system text edited', { system: [{ type: 'text', text: 'Be long.' }] }],
    ['the last deferred tool gone', { tools: [a, bm25] }],
  ])('invalid: %s', async (_, changes) => {
    await using running = await startSimulator();
    const reply = await secondTurn(running, changes);
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringMatching(bound),
    });
    expect(running.last()).toMatchObject({ brokenBinding: true, status: 400 });
  });

  test('valid: a string spelled as one block; invalid: another text', async () => {
    await using running = await startSimulator();
    const text = prompt['content'];
    expect((await secondTurnSaying(running, [{ type: 'text', text }])).status).toBe(200);
    expect((await secondTurnSaying(running, `${String(text)} `)).json.error.message).toMatch(bound);
  });

  test('valid: messages appended, a system message among them', async () => {
    await using running = await startSimulator();
    const first = await running.send(requestOf({ ...base, messages: [prompt] }));
    const messages = [prompt, assistant(first.json.content), user('and now'), system('Mind the gap.')];
    expect((await running.send(requestOf({ ...base, messages }))).status).toBe(200);
  });

  test('invalid: a system message put before the block', async () => {
    await using running = await startSimulator();
    const first = await running.send(requestOf({ ...base, messages: [prompt] }));
    const messages = [prompt, system('Mind the gap.'), assistant(first.json.content), user('and now')];
    const reply = await running.send(requestOf({ ...base, messages }));
    expect(reply.json.error.message).toContain('messages.2.content.0: Invalid `signature`');
  });

  test('invalid: a deferred definition edited after a reference before the block expanded it', async () => {
    await using running = await startSimulator();
    const search = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: { query: 'late' } },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'late' }],
        },
      },
    ];
    const opening = [user('x'), assistant([...search, { type: 'text', text: 'found' }]), prompt];
    const first = await running.send(requestOf({ ...base, messages: opening }));
    const messages = [...opening, assistant(first.json.content), user('and now')];
    expect((await running.send(requestOf({ ...base, messages }))).status).toBe(200);
    const tools = [a, { ...late, description: 'other' }, bm25];
    const edited = await running.send(requestOf({ ...base, tools, messages }));
    expect(edited.json.error.message).toMatch(
      /^messages\.3\.content\.0: Invalid `signature` in `thinking` block\. The block is bound/,
    );
  });

  test('a block in the middle of a reply is bound to what stands before it there', async () => {
    await using running = await startSimulator();
    const thought = { type: 'thinking', thinking: 'hm' };
    const words = { type: 'text', text: 'so' };
    const asked = user(script({ blocks: [thought, words, thought, words] }));
    const first = await running.send(requestOf({ ...base, messages: [asked] }));
    const again = (content: unknown): Promise<Reply> =>
      running.send(requestOf({ ...base, messages: [asked, assistant(content), user('and now')] }));
    expect((await again(first.json.content)).status).toBe(200);
    const [one, , two, end] = first.json.content;
    expect((await again([one, two, end])).status).toBe(400);
  });

  test('every block of the history is verified, not only the last', async () => {
    await using running = await startSimulator();
    const first = await running.send(requestOf({ ...base, messages: [prompt] }));
    const history = [prompt, assistant(first.json.content), user('and now')];
    const second = await running.send(requestOf({ ...base, messages: history }));
    const longer = [...history, assistant(second.json.content), user('and then')];
    expect((await running.send(requestOf({ ...base, messages: longer }))).status).toBe(200);
    // Removing a block leaves the later ones valid: it is the remedy that the error names.
    const without = [prompt, assistant(first.json.content.slice(1)), ...longer.slice(2)];
    expect((await running.send(requestOf({ ...base, messages: without }))).status).toBe(200);
    const forked = [user('another'), assistant('one'), ...longer.slice(2)];
    const reply = await running.send(requestOf({ ...base, messages: forked }));
    expect(reply.json.error.message).toMatch(/^messages\.3\.content\.0: /);
  });

  test('a model that binds nothing takes a moved prefix', async () => {
    await using running = await startSimulator();
    const reply = await secondTurn(running, {
      model: 'claude-opus-5',
      system: [{ type: 'text', text: 'Be long.' }],
    });
    expect(reply.status).toBe(200);
  });

  test('with binding off anything goes', async () => {
    await using running = await startSimulator({ binding: false });
    expect((await secondTurn(running, { system: [{ type: 'text', text: 'Be long.' }] })).status).toBe(200);
  });
});

describe('drop_block', () => {
  const betas = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
  const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };

  test('leaves the mismatched block out and reports it', async () => {
    await using running = await startSimulator();
    const moved = { system: [{ type: 'text', text: 'Be long.' }] };
    const reply = await secondTurn(running, { ...moved, thinking }, betas);
    expect(reply.status).toBe(200);
    expect(reply.json.input_transformations).toEqual([
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
    ]);
    expect(running.last().brokenBinding).toBe(true);
  });

  test('a dropped block is not billed', async () => {
    await using running = await startSimulator();
    const first = await running.send(requestOf({ ...base, messages: [prompt] }));
    const moved = requestOf({ ...base, system: [{ type: 'text', text: 'Be long.' }], thinking });
    const turn = (content: unknown): unknown => ({
      ...moved,
      messages: [prompt, assistant(content), user('and now')],
    });
    const dropped = await running.send(turn(first.json.content), betas);
    const absent = await running.send(turn(first.json.content.slice(1)), betas);
    expect(dropped.json.usage.input_tokens).toBe(absent.json.usage.input_tokens);
  });

  test('reports an empty list where nothing was dropped, in a stream too', async () => {
    await using running = await startSimulator();
    expect((await secondTurn(running, { thinking }, betas)).json.input_transformations).toEqual([]);
    const streamed = await running.send(requestOf({ stream: true }), betas);
    expect(streamed.text).toContain('"input_transformations":[]');
  });

  test('the reply is bound to the conversation it was given, so the next turn holds', async () => {
    await using running = await startSimulator();
    const first = await running.send(requestOf({ ...base, messages: [prompt] }));
    const moved = requestOf({ ...base, system: [{ type: 'text', text: 'Be long.' }], thinking });
    const history = [prompt, assistant(first.json.content), user('and now')];
    const second = await running.send({ ...moved, messages: history }, betas);
    const third = await running.send(
      { ...moved, messages: [...history, assistant(second.json.content), user('z')] },
      betas,
    );
    expect(third.json.input_transformations.map((entry: Loose) => entry.path)).toEqual([
      'messages.1.content.0',
    ]);
  });
});

describe('a signature', () => {
  async function turnWith(running: Running, block: Loose, model = 'claude-opus-5-5'): Promise<Reply> {
    const messages = [prompt, assistant([block, { type: 'text', text: 'one' }]), user('and now')];
    return running.send(requestOf({ ...base, model, messages }));
  }

  test.each(['', 'c2lnbmF0dXJl', 'not base64 at all'])(
    'that is not ours ("%s") is refused on every model',
    async (signature) => {
      await using running = await startSimulator();
      for (const model of ['claude-opus-5-5', 'claude-opus-5']) {
        const reply = await turnWith(running, { type: 'thinking', thinking: 'x', signature }, model);
        expect(reply.json.error.message).toBe(
          'messages.1.content.0: Invalid `signature` in `thinking` block',
        );
        expect(running.last().brokenBinding).toBe(false);
      }
    },
  );

  test('row 19: over an edited thought is refused', async () => {
    await using running = await startSimulator();
    const first = await running.send(requestOf({ ...base, messages: [prompt] }));
    const reply = await turnWith(running, { ...first.json.content[0], thinking: 'edited' });
    expect(reply.json.error.message).toMatch(
      /^messages\.1\.content\.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/,
    );
  });

  test('outlives the simulator that made it', async () => {
    await using before = await startSimulator();
    await using after = await startSimulator();
    const first = await before.send(requestOf({ ...base, messages: [prompt] }));
    expect((await turnWith(after, first.json.content[0])).status).toBe(200);
  });

  test('§1.13.3: old models leave the thinking of earlier turns out', async () => {
    await using running = await startSimulator();
    const old = { ...base, model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 1_024 } };
    const max = { max_tokens: 4_000 };
    const first = await running.send(requestOf({ ...old, ...max, messages: [user('hello')] }));
    const count = async (content: unknown): Promise<number> => {
      const messages = [user('hello'), assistant(content), user('more')];
      return (await running.send(requestOf({ ...old, ...max, messages }))).json.usage.input_tokens;
    };
    expect(await count(first.json.content)).toBe(await count(first.json.content.slice(1)));
  });
});
