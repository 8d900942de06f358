import { outlineMessages } from '@quartermaster/wire';
import type { ContentBlock, MessagesOutline, Span } from '@quartermaster/wire';
import { describe, expect, test } from 'vitest';
import { latin1Of } from './hostile-json.ts';
import { requireOutline } from './outline-properties.ts';

describe('the request', () => {
  test('tells model, stream, user, tool choice and its own mark', () => {
    const outline = outlineOf({
      model: 'claude-opus-5-5',
      stream: true,
      metadata: { user_id: '{"session_id":"s"}' },
      tool_choice: { type: 'tool', name: 'Bash' },
      cache_control: { type: 'ephemeral', ttl: '1h' },
    });
    expect(outline).toMatchObject({
      model: 'claude-opus-5-5',
      isStreaming: true,
      metadataUserId: '{"session_id":"s"}',
      toolChoice: { type: 'tool', name: 'Bash' },
      mark: { ttl: '1h' },
    });
  });

  test('tells what is absent or null as absent', () => {
    const body = { model: null, stream: null, metadata: null, tool_choice: null, cache_control: null };
    const outline = outlineOf({ ...body, system: null, tools: null, messages: null });
    const { span: _span, ...told } = outline;
    expect(told).toEqual({
      model: undefined,
      isStreaming: false,
      metadataUserId: undefined,
      toolChoice: undefined,
      mark: undefined,
      system: undefined,
      tools: undefined,
      messages: undefined,
    });
    expect(outlineOf({})).toEqual({ ...outline, span: { start: 0, end: 2 } });
  });

  test('compares keys decoded', () => {
    expect(requireOutline('{"t\\u006fols":[{"n\\u0061me":"Bash"}]}').tools?.items[0]?.name).toBe('Bash');
  });

  test('ignores keys of the same names in places that it does not read', () => {
    const decoy = { messages: 5, tools: {}, model: 7 };
    expect(outlineOf({ metadata: decoy, x: decoy, model: 'm' }).model).toBe('m');
  });

  test('decodes bytes first and escapes second', () => {
    const nameOf = (json: string): string | undefined => requireOutline(latin1Of(`{"model":${json}}`)).model;
    expect(nameOf('"é中🚀"')).toBe('é中🚀');
    expect(nameOf(String.raw`"\u00c3\u00a9"`)).toBe('Ã©');
    expect(nameOf(String.raw`"é\u00e9\ud83d\ude80\/\n"`)).toBe('éé🚀/\n');
    expect(nameOf(String.raw`"\ud83d"`)).toBe('\ud83d');
  });
});

describe('tools', () => {
  test('RU7: a tool is deferred only where defer_loading is literally true', () => {
    const flags = ['true', 'false', 'null', '"true"', '1'];
    const text = `{"tools":[${flags.map((flag) => `{"name":"t","defer_loading":${flag}}`).join()}, {"name":"t"}]}`;
    const tools = requireOutline(text).tools?.items ?? [];
    expect(tools.map((tool) => tool.isDeferred)).toEqual([true, false, false, false, false, false]);
    expect(tools.map((tool) => slice(text, tool.deferLoading?.span))).toEqual([
      ...flags.map((flag) => `"defer_loading":${flag}`),
      undefined,
    ]);
  });

  test('RW5: a mark spans its member and lives 5 minutes where it does not say', () => {
    const text =
      '{"tools":[{"name":"a", "cache_control" : {"type":"ephemeral"} ,"x":1},{"type":"custom","cache_control":null}]}';
    const [first, second] = requireOutline(text).tools?.items ?? [];
    expect(slice(text, first?.mark?.span)).toBe('"cache_control" : {"type":"ephemeral"}');
    expect(slice(text, first?.mark?.value)).toBe('{"type":"ephemeral"}');
    expect(first?.mark?.ttl).toBe('5m');
    expect(second).toMatchObject({ name: undefined, type: 'custom', mark: undefined });
  });
});

describe('messages', () => {
  test('Q2: a string is one text block spelled short', () => {
    const text = '{"system":"be","messages":[{"role":"user","content":"hi"},{"role":"user","content":[]}]}';
    const outline = requireOutline(text);
    expect(outline.system).toMatchObject({
      spelling: 'string',
      blocks: [{ type: 'text', span: outline.system?.span }],
    });
    const [first, second] = outline.messages?.items ?? [];
    expect(slice(text, first?.content.blocks[0]?.span)).toBe('"hi"');
    expect(second?.content).toMatchObject({ spelling: 'blocks', blocks: [] });
  });

  test('a message is turn-scoped by a clear_at other than never', () => {
    const messages = ['next_user_message', 'never', null].map((clear_at) => ({
      role: 'system',
      content: 'x',
      clear_at,
    }));
    const { messages: told } = outlineOf({ messages });
    expect(told?.items.map((message) => message.isTurnScoped)).toEqual([true, false, false]);
  });

  test('calls tell name and id, results the id they answer', () => {
    const blocks = blocksOf([
      { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { name: 'x', id: 'y' } },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: {} },
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' },
      { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: {} },
      { type: 'text', text: 'x', name: 'n', id: 'i', tool_use_id: 't' },
    ]);
    expect(blocks.map(({ name, callId }) => [name, callId])).toEqual([
      ['Bash', 'toolu_1'],
      ['tool_search_tool_bm25', 'srvtoolu_1'],
      [undefined, 'toolu_1'],
      [undefined, 'srvtoolu_1'],
      [undefined, undefined],
    ]);
  });

  test('thinking is signed by a signature that is not empty, redacted thinking always', () => {
    const blocks = blocksOf([
      { type: 'thinking', thinking: 'x', signature: 'abc==' },
      { type: 'thinking', thinking: 'x', signature: '' },
      { type: 'thinking', thinking: 'x', signature: null },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'x', signature: 'abc==' },
    ]);
    expect(blocks.map((block) => block.isSigned)).toEqual([true, false, false, true, false]);
  });

  test('Q3: references are found in every place where a definition is loaded or named', () => {
    const blocks = blocksOf([
      { type: 'tool_search_tool_result', content: { tool_references: [reference('a'), reference('b')] } },
      { type: 'tool_result', content: [{ type: 'text', text: 'tool_reference' }, reference('c')] },
      { type: 'tool_addition', tool: { type: 'tool_reference', name: 'd' } },
      { type: 'tool_removal', tool: { type: 'tool_reference', name: 'e' } },
      { type: 'tool_addition', tool: { type: 'mcp_tool_reference', server_name: 's', name: 'f' } },
      reference('g'),
    ]);
    expect(blocks.map((block) => block.references)).toEqual([['a', 'b'], ['c'], ['d'], ['e'], [], ['g']]);
  });

  test('arguments and schemas that look like references or marks are data', () => {
    const decoy = { ...reference('a'), cache_control: { type: 'ephemeral' } };
    const blocks = blocksOf([
      { type: 'tool_use', id: 'i', name: 'n', input: { x: decoy } },
      {
        type: 'tool_addition',
        tool: { type: 'tool_definition', definition: { input_schema: { properties: decoy } } },
      },
    ]);
    expect(blocks.map(({ references, nestedMarks }) => [references, nestedMarks])).toEqual([
      [[], []],
      [[], []],
    ]);
  });

  test('a picture is told of its own block and of the result that holds it, and of nothing that only speaks of one', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBOR=' } };
    const blocks = blocksOf([
      image,
      { type: 'tool_result', content: [{ type: 'text', text: 'a picture:' }, image] },
      { type: 'text', text: JSON.stringify(image) },
      { type: 'tool_use', id: 'i', name: 'n', input: image },
      { type: 'tool_result', content: [{ type: 'text', text: 'image' }] },
    ]);
    expect(blocks.map(({ holdsImage }) => holdsImage)).toEqual([true, true, false, false, false]);
  });

  test('RW5: marks of a result’s own blocks and of an inline definition are told beside the block’s own', () => {
    const mark = (ttl: string): unknown => ({ type: 'ephemeral', ttl });
    const [result, addition] = blocksOf([
      {
        type: 'tool_result',
        content: [
          { type: 'text', cache_control: mark('1h') },
          { type: 'text', cache_control: mark('5m') },
        ],
        cache_control: mark('7m'),
      },
      {
        type: 'tool_addition',
        tool: { definition: { cache_control: mark('1h'), x: { cache_control: 'no mark' } } },
      },
    ]);
    expect([result?.mark?.ttl, result?.nestedMarks.map(({ ttl }) => ttl)]).toEqual(['7m', ['1h', '5m']]);
    expect([addition?.mark, addition?.nestedMarks.map(({ ttl }) => ttl)]).toEqual([undefined, ['1h']]);
  });
});

describe('RW8: refused with its reason and place', () => {
  test.each([
    ['', 0],
    ['  ', 2],
    ['\ufeff{}', 0],
    ['{}x', 2],
    ['{} {}', 3],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['{"a":[1,]}', 8],
    ['{"a":[1 2]}', 8],
    ['{"a":[1}}', 7],
    ['{"a":01}', 6],
    ['{"a":1.}', 7],
    ['{"a":+1}', 5],
    ['{"a":.5}', 5],
    ['{"a":1e}', 7],
    ['{"a":-}', 6],
    ['{"a":nul}', 5],
    ['{"a":nullx}', 9],
    ['{"model":nullx}', 13],
    ['{"a":\u00a01}', 5],
    ['{"a":"x\\"}', 5],
    ['{"tools":[{}', 12],
    ['[1,2', 4],
    ['{"model":"\\x"}', 9],
    ['{"model":"\n"}', 9],
    ['{"model":"\\ud83"}', 9],
  ])('not-json: %j at %i', (text, at) => {
    expect(outlineMessages(latin1Of(text))).toEqual({ type: 'refused', reason: 'not-json', at });
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test.each([
    ['{"tools":[],"t\\u006fols":[]}', 12],
    ['{"model":"a","model":null}', 13],
    ['{"tools":[{"name":"a","name":"a"}]}', 22],
    ['{"tools":[{"defer_loading":1,"defer_loading":1}]}', 29],
    ['{"messages":[{"role":"a","role":"a"}]}', 25],
    ['{"messages":[{"role":"u","content":[{"type":"a","type":"a"}]}]}', 48],
    ['{"metadata":{"user_id":"a","user_id":"a"}}', 27],
    ['{"cache_control":{"type":"ephemeral","ttl":"5m","ttl":"1h"}}', 48],
  ])('duplicate-key: %j at %i', (text, at) => {
    expect(outlineMessages(text)).toEqual({ type: 'refused', reason: 'duplicate-key', at });
  });

  test.each([
    ['[]', 0],
    [' "x"', 1],
    ['null', 0],
    ['{"model":5}', 9],
    ['{"stream":"true"}', 10],
    ['{"metadata":[]}', 12],
    ['{"tool_choice":"auto"}', 15],
    ['{"tool_choice":{}}', 15],
    ['{"cache_control":true}', 17],
    ['{"cache_control":{"type":"other"}}', 17],
    ['{"system":{}}', 10],
    ['{"system":[{}]}', 11],
    ['{"tools":{}}', 9],
    ['{"tools":[null]}', 10],
    ['{"tools":[["a"]]}', 10],
    ['{"tools":[{"name":5}]}', 18],
    ['{"messages":"x"}', 12],
    ['{"messages":["x"]}', 13],
    ['{"messages":[{"content":"x"}]}', 13],
    ['{"messages":[{"role":"user"}]}', 13],
    ['{"messages":[{"role":5,"content":"x"}]}', 21],
    ['{"messages":[{"role":"user","content":null}]}', 38],
    ['{"messages":[{"role":"user","content":["x"]}]}', 39],
    ['{"messages":[{"role":"user","content":[{"type":"tool_reference"}]}]}', 39],
  ])('unknown-shape: %j at %i', (text, at) => {
    expect(outlineMessages(text)).toEqual({ type: 'refused', reason: 'unknown-shape', at });
  });

  test('nesting of any depth neither overflows the stack nor hides a missing bracket', () => {
    const deep = (closers: number): string => '['.repeat(100_000) + ']'.repeat(closers);
    for (const place of [
      '{"x":#}',
      '{"tools":[{"x":#}]}',
      '{"messages":[{"role":"u","content":[{"type":"t","x":#}]}]}',
    ]) {
      expect(outlineMessages(place.replace('#', deep(100_000))).type).toBe('outline');
      expect(outlineMessages(place.replace('#', deep(99_999)))).toMatchObject({ reason: 'not-json' });
    }
    const objects = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    expect(outlineMessages(objects).type).toBe('outline');
  });
});

test('case 43: a body with line separators in strings and a signed block is told in full', () => {
  const text = latin1Of(
    '{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"step 1\\n\u2028 step 2","signature":"abc=="}]}]}',
  );
  expect(requireOutline(text).messages?.items[0]?.content.blocks[0]?.isSigned).toBe(true);
});

function outlineOf(body: unknown): MessagesOutline {
  return requireOutline(latin1Of(JSON.stringify(body)));
}

function blocksOf(blocks: readonly unknown[]): readonly ContentBlock[] {
  return (
    outlineOf({ messages: [{ role: 'user', content: blocks }] }).messages?.items[0]?.content.blocks ?? []
  );
}

function reference(name: string): { readonly type: string; readonly tool_name: string } {
  return { type: 'tool_reference', tool_name: name };
}

function slice(text: string, span: Span | undefined): string | undefined {
  return span && text.slice(span.start, span.end);
}
