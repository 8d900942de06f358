import { applyEdits, outlineMessages, undoEdits } from '@quartermaster/wire';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { type AnswerBlock, createAnswerContent, readBlock } from '../src/relay/content.ts';
import { transcribe } from '../src/search/anchors.ts';
import { hiddenTurns } from '../src/search/record.ts';
import { restoreSearches, restoringEdits } from '../src/search/restore.ts';
import { parseTurn, printTurn, type SearchTurn } from '../src/search/turn.ts';

interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

const prompt = { role: 'user', content: 'look ✓' };

function isTold(block: Block | AnswerBlock): block is AnswerBlock {
  return 'isWhole' in block;
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function outlineOf(body: object) {
  const text = latin1(JSON.stringify(body));
  const read = outlineMessages(text);
  if (read.type === 'refused') throw new Error(read.reason);
  return { text, outline: read.outline };
}

/** The record of an answer to this request, as the store would give it back. */
function recordOf(
  content: readonly (Block | AnswerBlock)[],
  request: object = { messages: [prompt] },
): ReadonlyMap<string, SearchTurn> {
  const asked = outlineOf({ tools: [], ...request });
  const blocks = content.map((block) => (isTold(block) ? block : readBlock(latin1(JSON.stringify(block)))));
  const { nextChain: chain } = transcribe(asked.text, asked.outline);
  const turns = [...hiddenTurns(blocks, { ...asked, chain })];
  return new Map(
    turns.flatMap(([anchor, turn]) => {
      const stored = turn && parseTurn(printTurn(turn));
      return stored === undefined ? [] : [[anchor, stored] as const];
    }),
  );
}

/** What the provider gets where the client sends this conversation. */
function restored(messages: readonly object[], turns: ReadonlyMap<string, SearchTurn>) {
  const { text, outline } = outlineOf({ messages });
  const { runs } = transcribe(text, outline);
  const { places, unplaced } = restoreSearches(text, outline, { runs, turns });
  const edits = restoringEdits(outline, places);
  const after = applyEdits(text, edits);
  expect(applyEdits(after, undoEdits(text, edits))).toBe(text);
  const body = JSON.parse(Buffer.from(after, 'latin1').toString('utf8')) as {
    readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  };
  const answers = body.messages.filter(({ role }) => role === 'assistant');
  const content = answers.flatMap((answer) =>
    typeof answer.content === 'string' ? [{ type: 'text', text: answer.content }] : answer.content,
  );
  return { content, unplaced };
}

const isSearch = ({ type }: Block): boolean =>
  type === 'server_tool_use' || type === 'tool_search_tool_result';

function searchPair(id: number): readonly Block[] {
  const callId = `srvtoolu_${id}`;
  const found = { type: 'tool_search_tool_search_result', tool_references: [] };
  return [
    { type: 'server_tool_use', id: callId, name: 'tool_search_tool_bm25', input: { query: 'ü' } },
    { type: 'tool_search_tool_result', tool_use_id: callId, content: found },
  ];
}

/** An answer's blocks: searches whole and in order, now and then with something between a search and its result. */
const answer: fc.Arbitrary<readonly Block[]> = fc
  .array(fc.constantFrom('text', 'text', 'thinking', 'call', 'search', 'split'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((kinds) =>
    kinds.flatMap((kind, index): readonly Block[] => {
      const [call, result] = searchPair(index);
      const text = { type: 'text', text: `text ${index} ✓` };
      if (kind === 'text') return [text];
      if (kind === 'thinking') return [{ type: 'thinking', thinking: '', signature: `sig ${index}` }];
      if (kind === 'call') return [{ type: 'tool_use', id: `toolu_${index}`, name: 'A', input: {} }];
      if (call === undefined || result === undefined) return [];
      return kind === 'search' ? [call, result] : [call, text, result];
    }),
  );

function merged(blocks: readonly Block[]): readonly Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const before = joined.at(-1);
    if (block.type === 'text' && before?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', text: `${String(before['text'])}${String(block['text'])}` };
    } else joined.push(block);
  }
  return joined;
}

describe('Q2: an answer that comes back', () => {
  test('Q2: as it was shown is what the provider said, block by block, one or several messages', () => {
    const property = fc.property(answer, fc.nat(), fc.boolean(), (content, cut, isSplit) => {
      const shown = content.filter((block) => !isSearch(block));
      fc.pre(shown.length > 0);
      const at = isSplit ? cut % (shown.length + 1) : 0;
      const messages = [shown.slice(0, at), shown.slice(at)].filter(({ length }) => length > 0);
      const conversation = [prompt, ...messages.map((part) => ({ role: 'assistant', content: part }))];
      expect(restored(conversation, recordOf(content))).toEqual({ content, unplaced: 0 });
    });
    fc.assert(property, { seed: inject('seed'), numRuns: 500 });
  });

  test('Q2: with its searches gets none twice', () => {
    const property = fc.property(answer, (content) => {
      const conversation = [prompt, { role: 'assistant', content }];
      expect(restored(conversation, recordOf(content))).toEqual({ content, unplaced: 0 });
    });
    fc.assert(property, { seed: inject('seed'), numRuns: 300 });
  });

  test('Q2: altered by its client stays legal: no search without its result, none before its call, nothing else moved', () => {
    const altered = fc.record({
      content: answer,
      merges: fc.boolean(),
      dropped: fc.constantFrom('none', 'text', 'thinking', 'tool_use'),
      order: fc.constantFrom('kept', 'reversed', 'calls last'),
    });
    const property = fc.property(altered, ({ content, merges, dropped, order }) => {
      const shown = content.filter((block) => !isSearch(block) && block.type !== dropped);
      const calls = shown.filter(({ type }) => type === 'tool_use');
      const others = shown.filter(({ type }) => type !== 'tool_use');
      const ordered =
        order === 'kept' ? shown : order === 'reversed' ? shown.toReversed() : [...others, ...calls];
      const sent = merges ? merged(ordered) : ordered;
      fc.pre(sent.length > 0);
      const conversation = [prompt, { role: 'assistant', content: sent }];
      const after = restored(conversation, recordOf(content));
      // A text may have been cut where a search stood in it.
      expect(merged(after.content.filter((block) => !isSearch(block)))).toEqual(merged(sent));
      const searches = after.content.filter(isSearch);
      const ids = searches.map((block) => [block.type, block['id'] ?? block['tool_use_id']]);
      for (const [type, id] of ids) {
        expect(ids.filter(([, other]) => other === id)).toHaveLength(2);
        if (type !== 'server_tool_use') continue;
        const [call, result] = ['server_tool_use', 'tool_search_tool_result'].map((kind) =>
          ids.findIndex((known) => known[0] === kind && known[1] === id),
        );
        expect(call).toBeLessThan(result ?? -1);
      }
    });
    fc.assert(property, { seed: inject('seed'), numRuns: 1_000 });
  });

  test('Q2: without some of its thoughts and texts gets every search where it was among what is left', () => {
    const property = fc.property(answer, fc.infiniteStream(fc.boolean()), (content, drops) => {
      const sent = content.filter(
        (block) => isSearch(block) || block.type === 'tool_use' || !drops.next().value,
      );
      const shown = sent.filter((block) => !isSearch(block));
      fc.pre(shown.length > 0);
      const after = restored([prompt, { role: 'assistant', content: shown }], recordOf(content));
      expect(after).toEqual({ content: sent, unplaced: 0 });
    });
    fc.assert(property, { seed: inject('seed'), numRuns: 500 });
  });

  test('Q2: whose texts its client trims gets every search where it was', () => {
    const trimmed = (block: Block): Block =>
      block.type === 'text' ? { ...block, text: String(block['text']).slice(0, -1).trim() } : block;
    const property = fc.property(answer, (content) => {
      const sent = content.map(trimmed);
      const shown = sent.filter((block) => !isSearch(block));
      fc.pre(shown.length > 0);
      const after = restored([prompt, { role: 'assistant', content: shown }], recordOf(content));
      expect(after).toEqual({ content: sent, unplaced: 0 });
    });
    fc.assert(property, { seed: inject('seed'), numRuns: 500 });
  });

  test('Q2: that says the same twice is told apart by what stands around', () => {
    const same = { type: 'text', text: 'ok' };
    const content = [same, ...searchPair(1), same, ...searchPair(2), same];
    const conversation = [prompt, { role: 'assistant', content: [same, same, same] }];
    expect(restored(conversation, recordOf(content))).toEqual({ content, unplaced: 0 });
  });

  test('Q2: that says the same twice behind a text which its client dropped is told apart by the order', () => {
    const [blank, same] = [' ', 'ok'].map((text) => ({ type: 'text', text }));
    if (blank === undefined || same === undefined) throw new Error('two texts');
    const said = [blank, ...searchPair(1), same, same];
    const conversation = [prompt, { role: 'assistant', content: [same, same] }];
    const after = restored(conversation, recordOf(said));
    expect(after).toEqual({ content: said.slice(1), unplaced: 0 });
  });

  test('Q2: with its texts made one is what the provider said, cut where its searches stood', () => {
    const property = fc.property(answer, fc.boolean(), (content, isMarked) => {
      const shown = merged(content.filter((block) => !isSearch(block)));
      fc.pre(shown.length > 0);
      const mark = isMarked ? { cache_control: { type: 'ephemeral' } } : {};
      const sent = shown.map((block) => (block.type === 'text' ? { ...block, ...mark } : block));
      const after = restored([prompt, { role: 'assistant', content: sent }], recordOf(content));
      const unmarked = after.content.map(({ cache_control: _mark, ...block }) => block as Block);
      expect({ ...after, content: unmarked }).toEqual({ content: merged(content), unplaced: 0 });
    });
    fc.assert(property, { seed: inject('seed'), numRuns: 500 });
  });

  test('Q2: that is a string, with escapes and letters of all lengths, is cut at the right one', () => {
    const [first, second] = ['a\n"ü中🚀\u0007', '✓b'];
    const content = [{ type: 'text', text: first }, ...searchPair(1), { type: 'text', text: second }];
    const conversation = [prompt, { role: 'assistant', content: first + second }];
    expect(restored(conversation, recordOf(content))).toEqual({ content, unplaced: 0 });
  });

  test('Q2: whose place is gone loses the pair, which is counted', () => {
    const content = [{ type: 'text', text: 'a' }, ...searchPair(1), { type: 'text', text: 'b' }];
    const conversation = [prompt, { role: 'assistant', content: [{ type: 'text', text: 'a b' }] }];
    const after = restored(conversation, recordOf(content));
    expect(after).toEqual({ content: [{ type: 'text', text: 'a b' }], unplaced: 1 });
  });

  test.each([
    ['a string', [prompt, { role: 'assistant', content: 'a' }]],
    [
      'marked blocks',
      [
        { role: 'user', content: [{ type: 'text', text: 'look ✓', cache_control: { type: 'ephemeral' } }] },
        { role: 'assistant', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
      ],
    ],
  ])('Q2: without any call is known by all that stood before it, spelled as %s', (_, conversation) => {
    const pair = searchPair(1);
    for (const content of [
      [...pair, { type: 'text', text: 'a' }],
      [{ type: 'text', text: 'a' }, ...pair],
    ]) {
      const after = restored(conversation, recordOf(content));
      expect(after.content.map(({ type }) => type)).toEqual(content.map(({ type }) => type));
    }
    const other = [
      { role: 'user', content: 'something else' },
      { role: 'assistant', content: 'a' },
    ];
    const after = restored(other, recordOf([...pair, { type: 'text', text: 'a' }]));
    expect(after).toEqual({ content: [{ type: 'text', text: 'a' }], unplaced: 0 });
  });

  test('Q2: that is another one to the same request, as its thought tells, is given nothing', () => {
    const [first, second] = ['sig 1', 'sig 2'].map((signature) => ({
      type: 'thinking',
      thinking: '',
      signature,
    }));
    const words = { type: 'text', text: 'done' };
    if (first === undefined || second === undefined) throw new Error('two thoughts');
    const turns = recordOf([first, ...searchPair(1), words]);
    const sent = [second, words];
    expect(restored([prompt, { role: 'assistant', content: sent }], turns)).toEqual({
      content: sent,
      unplaced: 0,
    });
  });

  test('Q2: to another program that was greeted alike is given nothing of it', () => {
    const answered = [...searchPair(1), { type: 'text', text: 'hello' }];
    const asked = { messages: [prompt], tools: [], system: 'You sell.' };
    const [mine, other] = [asked, { ...asked, system: 'You write code.' }].map((body) => {
      const { text, outline } = outlineOf({
        ...body,
        messages: [prompt, { role: 'assistant', content: 'hello' }],
      });
      const turns = recordOf(answered, asked);
      return restoreSearches(text, outline, { runs: transcribe(text, outline).runs, turns }).places.length;
    });
    expect([mine, other]).toEqual([1, 0]);
  });

  test.each([
    ['thinks no more', [{ type: 'thinking', thinking: 'hm', signature: 's' }], []],
    ['cuts old results down', [{ type: 'text', text: 'a' }], [{ type: 'text', text: 'a' }]],
  ])(
    'Q2: without any call is known where what stood before it is the same but for its client, which %s',
    (_, was, is) => {
      const call = { type: 'tool_use', id: 'toolu_1', name: 'A', input: { n: 1 } };
      const answers = { type: 'tool_result', tool_use_id: 'toolu_1' };
      const before = (said: readonly object[], input: object, content: string): readonly object[] => [
        prompt,
        { role: 'assistant', content: [...said, { ...call, input }] },
        { role: 'user', content: [{ ...answers, content }] },
      ];
      const content = [...searchPair(1), { type: 'text', text: 'so' }];
      const asked = before(was, { n: 1, m: 2 }, 'a long result');
      const later = [...before(is, { m: 2, n: 1 }, 'cleared'), { role: 'assistant', content: 'so' }];
      const after = restored(later, recordOf(content, { messages: asked }));
      expect(after.content.slice(-3).map(({ type }) => type)).toEqual(content.map(({ type }) => type));
    },
  );

  test.each([
    [
      'a text',
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'so f' },
      { type: 'text', text: 'so f' },
    ],
    [
      'a call',
      { type: 'tool_use', id: 'toolu_1', name: 'A', input: {} },
      { type: 'input_json_delta', partial_json: '{"a":[' },
      { type: 'tool_use', id: 'toolu_1', name: 'A', input: { a: [] } },
    ],
  ])('Q2: that broke off in the middle of %s gets its search back before that', (_, start, delta, sent) => {
    const told = createAnswerContent();
    const blocks = [...searchPair(1), start].map((block) => latin1(JSON.stringify(block)));
    for (const [index, block] of blocks.entries()) told.start(index, block);
    for (const index of [0, 1]) told.stop(index);
    told.delta(2, latin1(JSON.stringify(delta)));
    const after = restored([prompt, { role: 'assistant', content: [sent] }], recordOf(told.blocks()));
    expect(after).toEqual({ content: [...searchPair(1), sent], unplaced: 0 });
  });

  test('Q2: that broke off after a search without its result gets that one back never', () => {
    const [call] = searchPair(2);
    const tool = { type: 'tool_use', id: 'toolu_9', name: 'A', input: {} };
    const content = [...searchPair(1), tool, ...(call === undefined ? [] : [call])];
    const conversation = [prompt, { role: 'assistant', content: [tool] }];
    const after = restored(conversation, recordOf(content));
    expect(after).toEqual({ content: [...searchPair(1), tool], unplaced: 0 });
  });
});
