import { chooseNamesPlace, namesListText, searchToolEntry, unitOf } from '@quartermaster/deferral';
import { applyEdits, type Edit, outlineMessages, undoEdits } from '@quartermaster/wire';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { rewriteMessages, toPlacedMessage } from '../src/rewrite/anthropic.ts';
import type { Decision } from '../src/threads/decision.ts';
import {
  type Body,
  type BodyTool,
  firstRequest,
  nextRequest,
  rendered,
  tool,
} from './support/anthropic-body.ts';

type Defer = Extract<Decision, { type: 'defer' }>;

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function outlineOf(text: string) {
  const read = outlineMessages(text);
  if (read.type === 'refused') throw new Error(`the body was refused: ${read.reason} at ${read.at}`);
  return read.outline;
}

function decisionFor(body: Body, units: readonly string[]): Defer {
  const outline = outlineOf(latin1(JSON.stringify(body)));
  return {
    type: 'defer',
    units,
    namesList: namesListText(units),
    namesPlace: chooseNamesPlace({
      acceptsSystemMessages: body.model === 'claude-opus-5-5',
      messages: (outline.messages?.items ?? []).map(toPlacedMessage),
    }),
    searchTool: searchToolEntry,
    deferredTokensO200k: 0,
    reasons: {},
  };
}

interface Rewritten {
  readonly text: string;
  readonly body: Body;
  readonly edits: readonly Edit[];
  readonly original: string;
  readonly keepsMarks: boolean;
}

/** The body after the decision; the original where the rewrite leaves it. */
function rewrite(body: Body, decision: Defer, print: (body: Body) => string = JSON.stringify): Rewritten {
  const original = latin1(print(body));
  const result = rewriteMessages(original, outlineOf(original), decision);
  const edits = result.type === 'edits' ? result.edits : [];
  const text = applyEdits(original, edits);
  const parsed = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as Body;
  return { text, body: parsed, edits, original, keepsMarks: result.type === 'edits' && result.keepsMarks };
}

const marksOf = (items: readonly { readonly cache_control?: { readonly ttl?: string } }[]): string[] =>
  items.flatMap(({ cache_control: mark }) => (mark === undefined ? [] : [mark.ttl ?? '5m']));

const base: Body = {
  model: 'claude-opus-5-5',
  max_tokens: 1,
  tools: [tool('Bash'), tool('Alpha'), tool('mcp__srv__one'), tool('mcp__srv__two')],
  messages: [{ role: 'user', content: 'hi' }],
};

describe('RW1', () => {
  test('RW1: a deferred tool gets the flag and the search tool stands last', () => {
    const { body } = rewrite(base, decisionFor(base, ['Alpha', 'mcp__srv']));
    expect(body.tools.map((entry) => [entry.name, entry.defer_loading ?? false])).toEqual([
      ['Bash', false],
      ['Alpha', true],
      ['mcp__srv__one', true],
      ['mcp__srv__two', true],
      ['tool_search_tool_bm25', false],
    ]);
    expect(body.tools.at(-1)).toEqual(JSON.parse(searchToolEntry));
  });

  test('RW1: a client with a search tool of Anthropic’s gets no second one', () => {
    const own = {
      ...base,
      tools: [...base.tools, { type: 'tool_search_tool_regex', name: 'tool_search_tool_regex' }],
    };
    const { body } = rewrite(own, decisionFor(own, ['Alpha']));
    expect(body.tools).toHaveLength(own.tools.length);
  });

  test('RW1: an explicit false becomes true, and stands once', () => {
    const explicit = { ...base, tools: [tool('Bash'), tool('Alpha', { defer_loading: false })] };
    const { text, body } = rewrite(explicit, decisionFor(explicit, ['Alpha']));
    expect(body.tools[1]?.defer_loading).toBe(true);
    expect(text.match(/defer_loading/g)).toHaveLength(1);
  });
});

describe('RW2', () => {
  const units = ['Alpha'];

  test('RW2: the names list is the last block of the client’s own system message at index 1, both spellings alike', () => {
    const asString: Body = {
      ...base,
      messages: [base.messages[0] ?? never(), { role: 'system', content: 'env' }],
    };
    const asBlocks: Body = {
      ...base,
      messages: [base.messages[0] ?? never(), { role: 'system', content: [{ type: 'text', text: 'env' }] }],
    };
    const [first, second] = [asString, asBlocks].map(
      (body) => rewrite(body, decisionFor(body, units)).body.messages,
    );
    expect(first).toEqual(second);
    expect(first?.[1]?.content).toEqual([
      { type: 'text', text: 'env' },
      { type: 'text', text: namesListText(units) },
    ]);
  });

  test('RW2: an emptied system message (after a compaction) holds the names list alone', () => {
    const emptied: Body = {
      ...base,
      messages: [base.messages[0] ?? never(), { role: 'system', content: [] }],
    };
    const { body } = rewrite(emptied, decisionFor(emptied, units));
    expect(body.messages[1]?.content).toEqual([{ type: 'text', text: namesListText(units) }]);
  });

  test('RW2: without one it stands in a new system message after the opening run of user messages', () => {
    const two: Body = {
      ...base,
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'c' },
        { role: 'user', content: 'd' },
      ],
    };
    const { body } = rewrite(two, decisionFor(two, units));
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'user', 'system', 'assistant', 'user']);
    expect(body.messages[2]?.content).toEqual([{ type: 'text', text: namesListText(units) }]);
  });

  test.each<{ system: Body['system']; before: readonly object[] }>([
    { system: undefined, before: [] },
    { system: '', before: [] },
    { system: 's', before: [{ type: 'text', text: 's' }] },
    { system: [{ type: 'text', text: 's' }], before: [{ type: 'text', text: 's' }] },
  ])(
    'RW2: on a model without system messages it is the last block of a system of $system',
    ({ system, before }) => {
      const older: Body = {
        ...base,
        model: 'claude-haiku-4-5-20251001',
        ...(system === undefined ? {} : { system }),
      };
      const { body } = rewrite(older, decisionFor(older, units));
      expect(body.system).toEqual([...before, { type: 'text', text: namesListText(units) }]);
      expect(body.messages).toEqual(older.messages);
    },
  );
});

describe('RW4 and RW6', () => {
  test('RW4: where all would be deferred the unit of the last tool stays', () => {
    const { body } = rewrite(base, decisionFor(base, ['Bash', 'Alpha', 'mcp__srv']));
    const deferred = body.tools.filter((entry) => entry.defer_loading === true).map(({ name }) => name);
    expect(deferred).toEqual(['Bash', 'Alpha']);
  });

  test('RW6: a forced tool stays loaded for the request, and the names list keeps its bytes', () => {
    const decision = decisionFor(base, ['Alpha', 'mcp__srv']);
    const forced = rewrite({ ...base, tool_choice: { type: 'tool', name: 'Alpha' } }, decision).body;
    expect(forced.tools.find(({ name }) => name === 'Alpha')).not.toHaveProperty('defer_loading');
    expect(forced.messages).toEqual(rewrite(base, decision).body.messages);
  });

  test('RW6: so it does where the forced tool is the only deferred one', () => {
    const decision = decisionFor(base, ['Alpha']);
    const forced = rewrite({ ...base, tool_choice: { type: 'tool', name: 'Alpha' } }, decision).body;
    expect(forced.tools.filter((entry) => entry.defer_loading === true)).toEqual([]);
    expect(forced.tools.at(-1)).toEqual(JSON.parse(searchToolEntry));
    expect(forced.messages).toEqual(rewrite(base, decision).body.messages);
  });
});

describe('RW5', () => {
  const marked = (name: string, ttl?: '1h'): BodyTool =>
    tool(name, { cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) } });

  test('RW5: a mark moves byte for byte to the nearest loaded tool before it', () => {
    const body: Body = { ...base, tools: [tool('Bash'), tool('Alpha'), marked('Beta', '1h')] };
    const { body: rewritten } = rewrite(body, decisionFor(body, ['Alpha', 'Beta']));
    expect(rewritten.tools.map((entry) => entry.cache_control?.ttl)).toEqual([
      '1h',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('RW5: with no loaded tool free it moves to the search tool', () => {
    const body: Body = { ...base, tools: [marked('Bash'), marked('Alpha')] };
    const { body: rewritten } = rewrite(body, decisionFor(body, ['Alpha']));
    expect(rewritten.tools.map((entry) => entry.cache_control !== undefined)).toEqual([true, false, true]);
  });

  test('RW5: with no place left it is dropped, which moves no byte of the prefix, and told', () => {
    const search = {
      type: 'tool_search_tool_bm25',
      name: 'tool_search_tool_bm25',
      cache_control: { type: 'ephemeral' },
    };
    const body: Body = { ...base, tools: [marked('Bash'), marked('Alpha'), search as BodyTool] };
    const original = latin1(JSON.stringify(body));
    const result = rewriteMessages(original, outlineOf(original), decisionFor(body, ['Alpha']));
    expect(result).toMatchObject({ type: 'edits', keepsMarks: false });
    const { body: rewritten } = rewrite(body, decisionFor(body, ['Alpha']));
    expect(rewritten.tools.map((entry) => entry.cache_control !== undefined)).toEqual([true, false, true]);
  });
});

const spaced = (body: Body): string => JSON.stringify(body, undefined, 1).replaceAll('\n', ' \n\t');
const printers = fc.constantFrom(JSON.stringify, spaced);
const runs = { numRuns: 2_000, seed: inject('seed') };

const cases = fc.record({
  body: firstRequest,
  print: printers,
  share: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
});

/** The units of the client's own tools that `share` picks. */
function pick(body: Body, share: readonly boolean[]): string[] {
  const own = body.tools.filter(
    ({ type, defer_loading: isDeferred }) => type !== 'web_search_20260318' && !isDeferred,
  );
  return [...new Set(own.map(({ name }) => unitOf(name)))].filter((_, index) => share[index]).toSorted();
}

test('RW7, law 2: undoing the edits gives the client’s bytes back', () => {
  fc.assert(
    fc.property(cases, ({ body, print, share }) => {
      const { text, original, edits } = rewrite(body, decisionFor(body, pick(body, share)), print);
      expect(applyEdits(text, undoEdits(original, edits)) === original).toBe(true);
    }),
    runs,
  );
});

test('law 6: never deferred and marked, one client tool loaded, as many marks as before, 1 h before 5 m', () => {
  fc.assert(
    fc.property(cases, ({ body, print, share }) => {
      const { body: after, edits, keepsMarks } = rewrite(body, decisionFor(body, pick(body, share)), print);
      const deferredAndMarked = after.tools.filter(({ defer_loading: d, cache_control: mark }) => d && mark);
      expect(deferredAndMarked).toEqual([]);
      const loaded = after.tools.filter(
        ({ type, defer_loading: d }) => (type ?? 'custom') === 'custom' && !d,
      );
      if (edits.length > 0) expect(loaded.length).toBeGreaterThan(0);
      if (keepsMarks) expect(marksOf(after.tools)).toEqual(marksOf(body.tools));
    }),
    runs,
  );
});

test('RW7: but for flags, marks, the search tool and the names list nothing differs', () => {
  fc.assert(
    fc.property(cases, ({ body, print, share }) => {
      const decision = decisionFor(body, pick(body, share));
      const { body: after, edits } = rewrite(body, decision, print);
      if (edits.length === 0) return;
      const plain = (entry: BodyTool): object => ({
        ...entry,
        cache_control: undefined,
        defer_loading: undefined,
      });
      expect(after.tools.slice(0, body.tools.length).map(plain)).toEqual(body.tools.map(plain));
      const withoutNames = rendered(after).filter(
        (part) => !part.includes(JSON.stringify(decision.namesList)),
      );
      const messagesBefore = rendered({ ...body, tools: [] }).filter((part) => !part.endsWith('"text":""}'));
      expect(withoutNames.slice(-messagesBefore.length + 1)).toEqual(messagesBefore.slice(1));
    }),
    runs,
  );
});

test('RW3, law 3: the prefix of the next request begins with the one before, whatever the client respells', () => {
  fc.assert(
    fc.property(
      cases,
      fc.string({ minLength: 1 }),
      fc.array(fc.boolean()),
      ({ body, print, share }, answer, marks) => {
        const decision = decisionFor(body, pick(body, share));
        const first = rewrite(body, decision, print);
        // Such a thread is decided "nothing".
        if (!first.keepsMarks) return;
        const second = rewrite(nextRequest(body, answer, marks), decision, print);
        const [before, after] = [rendered(first.body), rendered(second.body)];
        expect(after.slice(0, before.length)).toEqual(before);
      },
    ),
    runs,
  );
});

function never(): never {
  throw new Error('the fixture has a first message');
}
