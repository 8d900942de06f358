import { chooseNamesPlace, namesListText, searchToolEntry, unitOf } from '@quartermaster/deferral';
import { applyEdits, type Edit, outlineMessages, undoEdits } from '@quartermaster/wire';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { rewriteMessages, toPlacedMessage } from '../src/rewrite/anthropic.ts';
import { placeholderName } from '../src/rewrite/placeholder.ts';
import { decideRemoval } from '../src/rewrite/removal.ts';
import type { Decision, EditDecision, Removal } from '../src/threads/decision.ts';
import {
  type Body,
  type BodyBlock,
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

/** What is left out where an account lists `listed`; its system prompt names nothing. */
function removalFor(body: Body, listed: readonly string[], over: { systemPrompt?: string } = {}): Removal {
  const outline = outlineOf(latin1(JSON.stringify(body)));
  return decideRemoval({
    tools: outline.tools?.items ?? [],
    listed,
    systemPrompt: '',
    forced: outline.toolChoice?.name,
    usedInThread: new Set(),
    weigh: () => 1,
    ...over,
  });
}

/** The decision to leave out `listed` and to defer `units` of the rest; either may be empty. */
function decisionWith(body: Body, listed: readonly string[], units: readonly string[]): EditDecision {
  const removal = removalFor(body, listed);
  if (units.length === 0) return { type: 'remove', removal, reason: 'deferral-off' };
  return { ...decisionFor(body, units), removal };
}

interface Rewritten {
  readonly text: string;
  readonly body: Body;
  readonly edits: readonly Edit[];
  readonly original: string;
  readonly keepsMarks: boolean;
}

/** The body after the decision; the original where the rewrite leaves it. */
function rewrite(
  body: Body,
  decision: EditDecision,
  print: (body: Body) => string = JSON.stringify,
): Rewritten {
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
    const deferred = forced.tools.filter((entry) => entry.defer_loading === true);
    expect(deferred.map(({ name }) => name)).toEqual([placeholderName]);
    expect(forced.tools.at(-1)).toEqual(JSON.parse(searchToolEntry));
    expect(forced.messages).toEqual(rewrite(base, decision).body.messages);
  });
});

describe('RW5', () => {
  const marked = (name: string, ttl?: '1h'): BodyTool =>
    tool(name, { cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) } });
  const markedText = (text: string): BodyBlock => ({
    type: 'text',
    text,
    cache_control: { type: 'ephemeral' },
  });

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

  test('case 47: a request with all the marks there may be gets no further one, wherever they stand', () => {
    const bodies: readonly Body[] = [
      {
        ...base,
        system: [markedText('one'), markedText('two')],
        tools: [marked('Bash', '1h'), tool('Read'), marked('Alpha', '1h')],
      },
      {
        ...base,
        ...({ cache_control: { type: 'ephemeral' } } as object),
        tools: [tool('Bash'), marked('Alpha')],
        messages: [{ role: 'user', content: [markedText('a'), markedText('b')] }],
      },
    ];
    for (const body of bodies) {
      const { body: rewritten } = rewrite(body, decisionFor(body, ['Alpha']));
      const countMarks = (of: Body): number => JSON.stringify(of).split('"cache_control"').length - 1;
      expect(countMarks(rewritten)).toBe(countMarks(body));
    }
  });

  test('case 49: a block that changes with each request stays where and as it is', () => {
    const meters = ['x-meter: v=1; n=aa01;', 'x-meter: v=1; n=bb02;'];
    const [first, second] = meters.map((meter) => {
      const system: readonly BodyBlock[] = [{ type: 'text', text: meter }, markedText('You are an agent.')];
      const body: Body = { ...base, system };
      const { body: rewritten } = rewrite(body, decisionFor(body, ['Alpha']));
      expect(rewritten.system?.slice(0, 1)).toEqual(system.slice(0, 1));
      return rewritten;
    });
    expect({ ...second, system: first?.system }).toEqual(first);
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

describe('PR3 and PR4', () => {
  const names = ({ tools }: Body): string[] => tools.map(({ name }) => name);

  test('PR3: a listed tool is left out by its exact name, and a server whole', () => {
    expect(names(rewrite(base, decisionWith(base, ['Alpha'], [])).body)).toEqual([
      'Bash',
      'mcp__srv__one',
      'mcp__srv__two',
    ]);
    expect(names(rewrite(base, decisionWith(base, ['mcp__srv'], [])).body)).toEqual(['Bash', 'Alpha']);
    const unlike = decisionWith(base, ['alpha', 'Alp', 'mcp__sr', 'mcp__srv__'], []);
    expect(rewrite(base, unlike).edits).toEqual([]);
  });

  test.each([
    ['Use Alpha.', true],
    ['`Alpha`', true],
    ['Alpha', true],
    ['x\nAlpha', true],
    ['Alphas, MyAlpha, Alpha_2, _Alpha, Alpha2, αAlpha', false],
    ['alpha ALPHA', false],
  ])(
    'PR3: a tool stays where its exact name stands as a whole word in the system prompt: %j',
    (prompt, stays) => {
      const removal = removalFor(base, ['Alpha'], { systemPrompt: prompt });
      const { body } = rewrite(base, { type: 'remove', removal, reason: 'deferral-off' });
      expect(names(body).includes('Alpha')).toBe(stays);
      expect(removal.kept).toEqual(stays ? { Alpha: 'named-in-system-prompt' } : {});
    },
  );

  test('PR3: a name is no pattern', () => {
    const body = { ...base, tools: [tool('Bash'), tool('a.b(c)*')] };
    expect(removalFor(body, ['a.b(c)*'], { systemPrompt: 'axb(c)* a.b(c)' }).kept).toEqual({});
    expect(removalFor(body, ['a.b(c)*'], { systemPrompt: 'call a.b(c)* now' }).tools).toEqual([]);
  });

  test('PR3: the tool that is forced at the first request stays for life; one forced later for that request', () => {
    const forced: Body = { ...base, tool_choice: { type: 'tool', name: 'Alpha' } };
    expect(removalFor(forced, ['Alpha']).kept).toEqual({ Alpha: 'forced' });
    const decision = decisionWith(base, ['Alpha'], ['mcp__srv']);
    expect(names(rewrite(forced, decision).body)).toContain('Alpha');
    expect(rewrite(forced, decision).body.tools[1]).not.toHaveProperty('defer_loading');
    expect(names(rewrite(base, decision).body)).not.toContain('Alpha');
  });

  test('PR3: a provider’s own tool and one that the client defers itself stay', () => {
    const body: Body = {
      ...base,
      tools: [
        tool('Bash'),
        { type: 'web_search_20260318', name: 'web_search' },
        tool('Alpha', { defer_loading: true }),
      ],
    };
    expect(removalFor(body, ['web_search', 'Alpha']).tools).toEqual([]);
    expect(rewrite(body, decisionWith(body, ['web_search', 'Alpha'], [])).edits).toEqual([]);
  });

  test('PR3: the last remaining tool stays, also where a later request brings listed ones only', () => {
    const removal = removalFor(base, ['Bash', 'Alpha', 'mcp__srv']);
    expect(removal.kept).toEqual({ mcp__srv__two: 'last-tool' });
    const decision = decisionWith(base, ['Bash', 'Alpha'], []);
    const fewer = { ...base, tools: [tool('Bash'), tool('Alpha')] };
    expect(names(rewrite(fewer, decision).body)).toEqual(['Alpha']);
  });

  test('PR4: a tool that the thread used already stays', () => {
    const outline = outlineOf(latin1(JSON.stringify(base)));
    const removal = decideRemoval({
      tools: outline.tools?.items ?? [],
      listed: ['Alpha', 'Gone'],
      systemPrompt: '',
      forced: undefined,
      usedInThread: new Set(['Alpha', 'Gone']),
      weigh: () => 1,
    });
    expect(removal).toMatchObject({ kept: { Alpha: 'used-in-thread', Gone: 'used-in-thread' }, tools: [] });
  });

  test('PR4: a late tool of a removed server is left out from its first sight, unless the first prompt named it', () => {
    const systemPrompt = 'mcp__srv__named and mcp__srv__hyphen-ated, not mcp__srv__named_too';
    const removal = removalFor(base, ['mcp__srv', 'Late'], { systemPrompt });
    const late = [
      'mcp__srv__new',
      'mcp__srv__named',
      'mcp__srv__hyphen-ated',
      'mcp__srv2__x',
      'Late',
      'Other',
    ];
    const later = { ...base, tools: [...base.tools, ...late.map((name) => tool(name))] };
    expect(names(rewrite(later, { type: 'remove', removal, reason: 'deferral-off' }).body)).toEqual([
      'Bash',
      'Alpha',
      'mcp__srv__named',
      'mcp__srv__hyphen-ated',
      'mcp__srv2__x',
      'Other',
    ]);
  });

  test('RW1: deferral looks at what removal leaves: names list, flags and the last loaded tool', () => {
    const { body } = rewrite(base, decisionWith(base, ['mcp__srv'], ['Alpha', 'Bash']));
    expect(body.tools.map((entry) => [entry.name, entry.defer_loading ?? false])).toEqual([
      ['Bash', true],
      ['Alpha', false],
      ['tool_search_tool_bm25', false],
    ]);
  });

  const toolResult = {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 't',
        content: [{ type: 'tool_reference', tool_name: 'Alpha' }],
      },
    ],
  };

  test('case 17, law 5: a removed tool that a later search result names is there again: deferred, or as it was', () => {
    const later: Body = { ...base, messages: [...base.messages, toolResult] };
    const deferring = rewrite(later, decisionWith(base, ['Alpha'], ['mcp__srv'])).body;
    expect(deferring.tools[1]).toMatchObject({ name: 'Alpha', defer_loading: true });
    const removing = rewrite(later, decisionWith(base, ['Alpha'], [])).body;
    expect(removing.tools[1]).toEqual(base.tools[1]);
  });

  test('RW5: a removed tool hands its mark on, byte for byte', () => {
    const hour = { type: 'ephemeral', ttl: '1h' } as const;
    const body: Body = {
      ...base,
      tools: [tool('Bash'), tool('Beta'), tool('Alpha', { cache_control: hour })],
    };
    const removing = rewrite(body, decisionWith(body, ['Alpha'], [])).body;
    expect(removing.tools).toEqual([tool('Bash'), tool('Beta', { cache_control: hour })]);
    const both = rewrite(body, decisionWith(body, ['Alpha'], ['Beta'])).body;
    expect(both.tools.map((entry) => entry.cache_control?.ttl)).toEqual(['1h', undefined, undefined]);
  });
});

const spaced = (body: Body): string => JSON.stringify(body, undefined, 1).replaceAll('\n', ' \n\t');
const printers = fc.constantFrom(JSON.stringify, spaced);
const runs = { numRuns: 2_000, seed: inject('seed') };

const shares = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 });
const cases = fc
  .record({ body: firstRequest, print: printers, deferredShare: shares, removedShare: fc.option(shares) })
  .map(({ deferredShare, removedShare, ...request }) => {
    const removed = removedShare === null ? [] : pick(request.body, removedShare);
    const units = pick(request.body, deferredShare).filter((unit) => !removed.includes(unit));
    return { ...request, decision: decisionWith(request.body, removed, units) };
  });

/** The units of the client's own tools that `share` picks. */
function pick(body: Body, share: readonly boolean[]): string[] {
  return [...new Set(body.tools.filter(isOwn).map(({ name }) => unitOf(name)))]
    .filter((_, index) => share[index])
    .toSorted();
}

const isOwn = ({ type, defer_loading: isDeferred }: BodyTool): boolean =>
  type !== 'web_search_20260318' && isDeferred !== true;

/** The entries that removal leaves. */
function left({ tools }: Body, { removal }: EditDecision): readonly BodyTool[] {
  const removed = new Set(removal?.tools);
  return tools.filter((entry) => !isOwn(entry) || !removed.has(entry.name));
}

test('RW7, law 2: undoing the edits gives the client’s bytes back', () => {
  fc.assert(
    fc.property(cases, ({ body, print, decision }) => {
      const { text, original, edits } = rewrite(body, decision, print);
      expect(applyEdits(text, undoEdits(original, edits)) === original).toBe(true);
    }),
    runs,
  );
});

test('law 6: never deferred and marked, one client tool loaded, as many marks as before, 1 h before 5 m', () => {
  fc.assert(
    fc.property(cases, ({ body, print, decision }) => {
      const { body: after, edits, keepsMarks } = rewrite(body, decision, print);
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

test('RW7, PR4: but for flags, marks, the search tool, a placeholder and the names list nothing differs from what removal leaves', () => {
  fc.assert(
    fc.property(cases, ({ body, print, decision }) => {
      const { body: after, edits } = rewrite(body, decision, print);
      if (edits.length === 0) return;
      const plain = (entry: BodyTool): object => ({
        ...entry,
        cache_control: undefined,
        defer_loading: undefined,
      });
      const expected = left(body, decision);
      expect(after.tools.slice(0, expected.length).map(plain)).toEqual(expected.map(plain));
      const hasDeferred = after.tools.slice(0, expected.length).some((entry) => entry.defer_loading === true);
      const added = [...(hasDeferred ? [] : [placeholderName]), 'tool_search_tool_bm25'];
      const namesAdded = after.tools.slice(expected.length).map(({ name }) => name);
      expect(namesAdded).toEqual(decision.type === 'defer' ? added : []);
      const namesList = JSON.stringify(decision.type === 'defer' ? decision.namesList : 'no list');
      const withoutNames = rendered(after).filter((part) => !part.includes(namesList));
      // The empty system prompt is an empty block, but becomes the names list alone.
      const isText = (part: string): boolean => !part.endsWith('"text":""}');
      const messagesBefore = rendered({ ...body, tools: [] }).filter(isText);
      expect(withoutNames.filter(isText).slice(-messagesBefore.length + 1)).toEqual(messagesBefore.slice(1));
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
      ({ body, print, decision }, answer, marks) => {
        const first = rewrite(body, decision, print);
        // Such a thread is decided "nothing".
        if (first.edits.length > 0 && !first.keepsMarks) return;
        const second = rewrite(nextRequest(body, answer, marks), decision, print);
        const [before, after] = [rendered(first.body), rendered(second.body)];
        expect(after.slice(0, before.length)).toEqual(before);
      },
    ),
    runs,
  );
});

test('law 5, law 3, law 6: what a later turn refers to is there, one tool stays loaded, and a prefix with deferred tools stays', () => {
  fc.assert(
    fc.property(cases, shares, ({ body, print, decision }, referredShare) => {
      const first = rewrite(body, decision, print);
      if (first.edits.length > 0 && !first.keepsMarks) return;
      const own = body.tools.filter(isOwn).map(({ name }) => name);
      const referred = own.filter((_, index) => referredShare[index]);
      const references = referred.map((name) => ({ type: 'tool_reference', tool_name: name }));
      const result = { type: 'tool_result', tool_use_id: 't', content: references };
      const next = nextRequest(body, 'found', []);
      const later = { ...next, messages: [...next.messages, { role: 'user', content: [result] }] };
      const after = rewrite(later, decision, print).body;
      const names = after.tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(referred));
      const isLoaded = (entry: BodyTool): boolean => isOwn(entry) && !entry.type?.startsWith('tool_search');
      if (own.length > 0) expect(after.tools.some(isLoaded)).toBe(true);
      const defers = first.text.includes(searchToolEntry);
      if (!defers) return;
      const before = rendered(first.body);
      expect(rendered(after).slice(0, before.length)).toEqual(before);
    }),
    runs,
  );
});

function never(): never {
  throw new Error('the fixture has a first message');
}
