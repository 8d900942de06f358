import { applyEdits, createSseDecoder, outlineMessages } from '@quartermaster/wire';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { createRecordReader } from '../src/relay/records.ts';
import { createStreamJoiner } from '../src/relay/stream-joiner.ts';
import { transcribe } from '../src/search/anchors.ts';
import { hiddenTurns } from '../src/search/record.ts';
import { restoreSearches, restoringEdits } from '../src/search/restore.ts';
import { parseTurn, printTurn, type SearchTurn } from '../src/search/turn.ts';
import { createAnswerReader } from '../src/tap/answer.ts';

// From the provider's stream, however it is cut, to the request in which a client sends back what it has made of it.

interface Block {
  readonly type: string;
  readonly name?: string;
  readonly [key: string]: unknown;
}

/** A block, and how the provider tells it: its start, and the deltas behind. */
interface Told {
  readonly block: Block;
  readonly start: Block;
  readonly deltas: readonly object[];
}

const words = fc.string({ unit: 'grapheme', maxLength: 8 });

function whole(block: Block): Told {
  return { block, start: block, deltas: [] };
}

/** `isEager`: the whole input stands in the start; else it comes in two pieces. */
function called(block: Block, isEager: boolean): Told {
  if (isEager) return whole(block);
  const json = JSON.stringify(block['input']);
  const pieces = [json.slice(0, json.length / 2), json.slice(json.length / 2)];
  const deltas = pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  return { block, start: { ...block, input: {} }, deltas };
}

function found(kind: 'tools' | 'none' | 'error'): object {
  if (kind === 'error') return { type: 'tool_search_tool_result_error', error_code: 'unavailable' };
  const references = kind === 'none' ? [] : [{ type: 'tool_reference', tool_name: 'A' }];
  return { type: 'tool_search_tool_search_result', tool_references: references };
}

/** What a model may say at one place; ids are its place's. */
const said = fc
  .record({
    kind: fc.constantFrom(
      ...(['text', 'same', 'blank', 'cited', 'thinking', 'redacted', 'call'] as const),
      ...(['search', 'search', 'between', 'web', 'martian'] as const),
    ),
    word: words,
    isEager: fc.boolean(),
    result: fc.constantFrom('tools', 'none', 'error'),
  })
  .map(({ kind, word, isEager, result }) => (at: number): readonly Told[] => {
    const text = (value: string): Told => ({
      block: { type: 'text', text: value },
      start: { type: 'text', text: '' },
      deltas: [...value].map((letter) => ({ type: 'text_delta', text: letter })),
    });
    const search = (name: string, type: string, content: object): readonly [Told, Told] => [
      called(
        { type: 'server_tool_use', id: `srvtoolu_${at}`, name, input: { query: word, n: 1.5 } },
        isEager,
      ),
      whole({ type, tool_use_id: `srvtoolu_${at}`, content }),
    ];
    const pair = search('tool_search_tool_bm25', 'tool_search_tool_result', found(result));
    switch (kind) {
      case 'text':
        return [text(`${at} ${word} \n`)];
      case 'same':
        return [text('ok ')];
      case 'blank':
        return [text(' ')];
      case 'cited': {
        const citation = { cited_text: word };
        const { block, start, deltas } = text(`${at} ${word}`);
        return [
          {
            block: { ...block, citations: [citation] },
            start: { ...start, citations: [] },
            deltas: [...deltas, { type: 'citations_delta', citation }],
          },
        ];
      }
      case 'thinking': {
        const deltas = [
          { type: 'thinking_delta', thinking: word },
          { type: 'signature_delta', signature: `sig ${at}` },
        ];
        const block = { type: 'thinking', thinking: word, signature: `sig ${at}` };
        return [{ block, start: { type: 'thinking', thinking: '', signature: '' }, deltas }];
      }
      case 'redacted':
        return [whole({ type: 'redacted_thinking', data: `data ${at}` })];
      case 'call':
        return [
          called({ type: 'tool_use', id: `toolu_${at}`, name: 'A', input: { b: word, a: 2 } }, isEager),
        ];
      case 'search':
        return pair;
      case 'between':
        return [pair[0], text(`${at} between`), pair[1]];
      case 'web':
        return search('web_search', 'web_search_tool_result', [{ type: 'web_search_result', title: word }]);
      case 'martian':
        return [whole({ type: 'martian', z: word, a: at })];
    }
  });

const answer = fc
  .array(said, { minLength: 1, maxLength: 8 })
  .map((told) => told.flatMap((tell, at) => tell(at)));

function streamOf(told: readonly Told[]): string {
  const event = (type: string, members: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  return [
    event('message_start', { message: { usage: {} } }),
    ...told.flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('ping', {}),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: {} }),
    event('message_stop', {}),
  ].join('');
}

const prompt = { role: 'user', content: 'look ✓' };

function outlineOf(body: object) {
  const text = Buffer.from(JSON.stringify(body)).toString('latin1');
  const read = outlineMessages(text);
  if (read.type === 'refused') throw new Error(read.reason);
  return { text, outline: read.outline };
}

/** What the client gets of the stream, and what is remembered of it. */
function strip(told: readonly Told[], cuts: readonly number[], lineEnd: string) {
  const bytes = Buffer.from(streamOf(told).replaceAll('\n', lineEnd));
  const joiner = createStreamJoiner({ strips: true, reader: createAnswerReader() });
  const records = createRecordReader();
  const decoder = createSseDecoder();
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  const shown: Block[] = [];
  for (const [index, end] of [...ends, bytes.length].entries()) {
    for (const record of records.read(bytes.subarray(ends[index - 1] ?? 0, end))) {
      const step = joiner.take(record);
      if (step.type === 'pause') continue;
      for (const { data } of decoder.decode(Buffer.from(step.bytes, 'latin1'))) take(shown, data);
    }
  }
  const asked = outlineOf({ messages: [prompt], tools: [] });
  const { nextChain: chain } = transcribe(asked.text, asked.outline);
  const turns = [...hiddenTurns(joiner.blocks(), { ...asked, chain })].flatMap(([anchor, turn]) => {
    const stored = turn && parseTurn(printTurn(turn));
    return stored === undefined ? [] : [[anchor, stored] as const];
  });
  return { shown, turns: new Map(turns) };
}

/** As an SDK puts blocks together. */
function take(shown: Block[], data: string): void {
  const event = JSON.parse(data) as { index?: number; content_block?: Block; delta?: Record<string, string> };
  const { index, content_block: block, delta } = event;
  if (index === undefined) return;
  if (block !== undefined) {
    expect(index).toBe(shown.length);
    shown.push({ ...block });
  }
  const open = shown[index] as Record<string, unknown> | undefined;
  if (open === undefined || delta === undefined) return;
  if (delta['text'] !== undefined) open['text'] = `${String(open['text'])}${delta['text']}`;
  if (delta['thinking'] !== undefined) open['thinking'] = `${String(open['thinking'])}${delta['thinking']}`;
  if (delta['signature'] !== undefined) open['signature'] = delta['signature'];
  if (delta['citation'] !== undefined) open['citations'] = [delta['citation']];
  if (delta['partial_json'] === undefined) return;
  const before = typeof open['input'] === 'string' ? open['input'] : '';
  const json = before + delta['partial_json'];
  try {
    open['input'] = JSON.parse(json) as object;
  } catch {
    open['input'] = json;
  }
}

function restore(messages: readonly object[], turns: ReadonlyMap<string, SearchTurn>) {
  const { text, outline } = outlineOf({ messages });
  const { runs } = transcribe(text, outline);
  const { places, unplaced } = restoreSearches(text, outline, { runs, turns });
  const after = applyEdits(text, restoringEdits(outline, places));
  const body = JSON.parse(Buffer.from(after, 'latin1').toString('utf8')) as {
    readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  };
  const answers = body.messages.filter(({ role }) => role === 'assistant');
  return { content: answers.flatMap(({ content }) => content), unplaced };
}

function isSearch({ type, name }: Block): boolean {
  return (name ?? type).startsWith('tool_search_tool_');
}

const thoughts = ['thinking', 'redacted_thinking'];
const isBlank = ({ type, text }: Block): boolean => type === 'text' && String(text).trim() === '';

/** The same members in another order. */
function reordered(block: Block): Block {
  const turned = Object.entries(block).toReversed();
  return Object.fromEntries(
    turned.map(([key, value]) => [key, key === 'input' ? reordered(value as Block) : value]),
  ) as Block;
}

/** What clients do with the blocks of an answer, one by one; `undefined` drops one. */
const habits = {
  'keeps all': (block: Block) => block,
  'prints anew': reordered,
  'drops thoughts': (block: Block) => (thoughts.includes(block.type) ? undefined : block),
  'drops blank texts': (block: Block) => (isBlank(block) ? undefined : block),
  'keeps texts and calls': (block: Block) => (['text', 'tool_use'].includes(block.type) ? block : undefined),
  'trims texts': (block: Block) =>
    block.type === 'text' ? { ...block, text: `${String(block['text']).trim()}.` } : block,
  'leaves sources out': ({ citations: _sources, ...block }: Block) => block as Block,
} as const;

test.each(Object.entries(habits))(
  'Q2: a client that %s gets each search back where it was, however the stream was cut',
  (_, habit) => {
    const property = fc.property(
      answer,
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.nat(),
      (told, cuts, lineEnd, splitAt) => {
        const { shown, turns } = strip(told, cuts, lineEnd);
        expect(shown).toEqual(told.map(({ block }) => block).filter((block) => !isSearch(block)));
        const kept = (block: Block): readonly Block[] =>
          isSearch(block) ? [block] : [habit(block) ?? []].flat();
        const sent = shown.flatMap(kept);
        fc.pre(sent.length > 0);
        // Some clients make two messages of one answer.
        const at = splitAt % (sent.length + 1);
        const messages = [sent.slice(0, at), sent.slice(at)].filter(({ length }) => length > 0);
        const conversation = [prompt, ...messages.map((content) => ({ role: 'assistant', content }))];
        const expected = told.map(({ block }) => block).flatMap(kept);
        expect(restore(conversation, turns)).toEqual({ content: expected, unplaced: 0 });
      },
    );
    fc.assert(property, { seed: inject('seed'), numRuns: 150 });
  },
);
