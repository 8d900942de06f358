import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import {
  type CallPosition,
  copyToolDeferrals,
  markTools,
  noToolDeferrals,
  parseToolDeferrals,
  type PresentTool,
  serialiseToolDeferrals,
  type ToolDeferrals,
} from '../src/index.ts';

const nothingYet: CallPosition = { lastSuccess: undefined, last: 'm', lateTools: 'call' };

function after(callId: string): CallPosition {
  return { lastSuccess: { callId, isSent: false }, last: 'm', lateTools: 'call' };
}

function tool(name: string, digest = `${name}-1`): PresentTool {
  return { name, digest };
}

function tools(...names: string[]): PresentTool[] {
  return names.map((name) => tool(name));
}

/** The state after the calls, each with the tools and the place that it had. */
function played(...calls: readonly (readonly [readonly PresentTool[], CallPosition])[]): ToolDeferrals {
  return calls.reduce(
    (state, [present, position]) => markTools(state, present, position).deferrals,
    noToolDeferrals,
  );
}

function placesOf(state: ToolDeferrals, present: readonly PresentTool[], position: CallPosition) {
  return markTools(state, present, position).tools.map(({ name, place }) => [
    name,
    place.type === 'inline' ? 'inline' : place.type === 'call' ? place.callId : place.messageId,
  ]);
}

describe('the baseline', () => {
  test('D1: the tools of the first call stay inline, and are recorded once', () => {
    const first = markTools(noToolDeferrals, tools('b', 'a'), nothingYet);
    expect(first.isChanged).toBe(true);
    expect(first.deferrals.baseline).toEqual(['b', 'a']);
    const second = markTools(first.deferrals, tools('a', 'b'), after('c1'));
    expect(second.isChanged).toBe(false);
    expect(second.deferrals).toBe(first.deferrals);
    expect(second.tools.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(second.tools.every(({ place }) => place.type === 'inline')).toBe(true);
  });

  test('D1: a first call without tools is a baseline of none, so that what comes next is late', () => {
    const state = played([[], nothingYet]);
    expect(state.baseline).toEqual([]);
    expect(placesOf(state, tools('late'), after('c1'))).toEqual([['late', 'c1']]);
  });
});

test('the message that the baseline was recorded at stays, and is another one only after a reset', () => {
  const state = played(
    [tools('a'), { ...nothingYet, last: 'm3' }],
    [tools('a'), { ...after('c1'), last: 'm9' }],
  );
  expect(state.startedAt).toBe('m3');
  expect(markTools(noToolDeferrals, [], { ...nothingYet, last: 'm9' }).deferrals.startedAt).toBe('m9');
});

describe('late tools', () => {
  test('D2: a tool that was not there at first enters after the last successful call, for life', () => {
    const state = played([tools('a'), nothingYet], [tools('a', 'late'), after('c1')]);
    expect(placesOf(state, tools('a', 'late'), after('c7'))).toEqual([
      ['a', 'inline'],
      ['late', 'c1'],
    ]);
  });

  test('D3: before any success it stays inline; then it has a load point like any other', () => {
    const early = markTools(played([tools('a'), nothingYet]), tools('a', 'early'), nothingYet);
    expect(early.tools.map(({ place }) => place.type)).toEqual(['inline', 'inline']);
    expect(early.breaks).toEqual([{ name: 'early', cause: 'no-success' }]);
    const later = markTools(early.deferrals, tools('a', 'early'), after('c1'));
    expect(later.deferrals.late).toEqual([{ name: 'early', at: { type: 'call', callId: 'c1' } }]);
    expect(later.breaks).toEqual([{ name: 'early', cause: 'left-inline' }]);
  });

  test('D3: what waits inline and is gone meanwhile stays declared, so that the prefix moves only once', () => {
    const state = played([tools('a'), nothingYet], [tools('a', 'early'), nothingYet]);
    const gone = markTools(state, tools('a'), nothingYet);
    expect(gone.tools.map(({ name, isPresent }) => [name, isPresent])).toEqual([
      ['a', true],
      ['early', false],
    ]);
    expect(gone.breaks).toEqual([]);
  });

  test('D4: what only the provider searches joins neither list', () => {
    const present = [tool('a'), { ...tool('catalogued'), isSearchOnly: true }];
    const first = markTools(noToolDeferrals, present, nothingYet);
    expect(first.deferrals.baseline).toEqual(['a']);
    const second = markTools(first.deferrals, present, after('c1'));
    expect(second.isChanged).toBe(false);
    expect(second.deferrals.definitions.has('catalogued')).toBe(false);
  });

  test('D10: where the last success was sent already, it enters at the tail', () => {
    const state = played([tools('a'), nothingYet]);
    const sent = { lastSuccess: { callId: 'c1', isSent: true }, last: 'm4', lateTools: 'tail' } as const;
    const marking = markTools(state, tools('a', 'late'), sent);
    expect(marking.deferrals.late).toEqual([{ name: 'late', at: { type: 'message', messageId: 'm4' } }]);
    expect(marking.breaks).toEqual([]);
    expect(placesOf(marking.deferrals, tools('a', 'late'), after('c2'))).toContainEqual(['late', 'm4']);
  });

  test('D10: where a result is still to be sent, it enters there though the model has a tail', () => {
    const state = played([tools('a'), nothingYet]);
    const position = { ...after('c1'), last: 'm4', lateTools: 'tail' } as const;
    expect(placesOf(state, tools('late'), position)).toContainEqual(['late', 'c1']);
  });

  test('D3, D10: a model with a tail takes it before any success too', () => {
    const state = played([tools('a'), nothingYet]);
    const marking = markTools(state, tools('a', 'early'), {
      lastSuccess: undefined,
      last: 'm1',
      lateTools: 'tail',
    });
    expect(marking.deferrals.late).toEqual([{ name: 'early', at: { type: 'message', messageId: 'm1' } }]);
    expect(marking.breaks).toEqual([]);
  });

  test.each([
    ['call', 'sent'],
    ['list', 'list'],
  ] as const)(
    'D10: a model that takes tools by %s breaks the prefix where the last success was sent, tells it, and leaves that of other models as it was',
    (lateTools, cause) => {
      const state = played([tools('a'), nothingYet]);
      const position = { lastSuccess: { callId: 'c1', isSent: true }, last: 'm4', lateTools };
      const marking = markTools(state, tools('a', 'late'), position);
      expect(marking.deferrals.late).toEqual([{ name: 'late', at: { type: 'message', messageId: 'm4' } }]);
      expect(marking.breaks).toEqual([{ name: 'late', cause }]);
    },
  );

  test('D10: a model that is told of tools in their list alone breaks the prefix with each late one', () => {
    const state = played([tools('a'), nothingYet]);
    const marking = markTools(state, tools('a', 'late'), { ...after('c1'), lateTools: 'list' });
    expect(marking.deferrals.late).toEqual([{ name: 'late', at: { type: 'call', callId: 'c1' } }]);
    expect(marking.breaks).toEqual([{ name: 'late', cause: 'list' }]);
  });

  test('D3: a list stays as it is when a tool that waited has come to its place', () => {
    const state = played([tools('a'), nothingYet], [tools('a', 'x'), { ...nothingYet, lateTools: 'tail' }]);
    const present = tools('a', 'x', 'early');
    const waiting = markTools(state, present, { ...nothingYet, lateTools: 'list' });
    const placed = markTools(waiting.deferrals, present, { ...after('c1'), lateTools: 'list' });
    expect(placed.tools.map(({ name }) => name)).toEqual(waiting.tools.map(({ name }) => name));
    expect(placed.breaks).toEqual([]);
  });

  test('D10: a model with a tail is told of no tool that waits, in a call beside the conversation either', () => {
    const state = played([tools('a'), nothingYet], [tools('a', 'early'), nothingYet]);
    const beside = { lastSuccess: undefined, last: undefined, lateTools: 'tail' } as const;
    const names = markTools(state, tools('a', 'early'), beside).tools.map(({ name }) => name);
    expect(names).toEqual(['a']);
  });
});

describe('definitions', () => {
  test('D5: a tool that goes and returns keeps its place', () => {
    const state = played(
      [tools('a'), nothingYet],
      [tools('a', 'late'), after('c1')],
      [tools('a'), after('c2')],
    );
    expect(placesOf(state, tools('a', 'late'), after('c3'))).toContainEqual(['late', 'c1']);
  });

  test('D5, D12: a changed definition is told, and the frozen one is declared', () => {
    const state = played([tools('a'), nothingYet]);
    const marking = markTools(state, [tool('a', 'a-2')], after('c1'));
    expect(marking.isChanged).toBe(false);
    expect(marking.tools).toEqual([
      { name: 'a', digest: 'a-1', place: { type: 'inline' }, isPresent: true, isOutdated: true },
    ]);
  });

  test('D12: a tool that is gone stays declared, and its absence is told', () => {
    const state = played([tools('a', 'b'), nothingYet], [tools('a', 'b', 'late'), after('c1')]);
    const marking = markTools(state, tools('b'), after('c2'));
    expect(marking.tools.map(({ name, isPresent }) => [name, isPresent])).toEqual([
      ['a', false],
      ['b', true],
      ['late', false],
    ]);
  });
});

describe('copies', () => {
  const state = played(
    [tools('a'), { ...nothingYet, last: 'm1' }],
    [tools('a', 'late'), after('c1')],
    [
      tools('a', 'late', 'tail'),
      { lastSuccess: { callId: 'c1', isSent: true }, last: 'm3', lateTools: 'tail' },
    ],
  );

  test('a copy has all of it where every place was copied', () => {
    const history = { callIds: new Set(['c1']), messageIds: new Set(['m1', 'm2', 'm3']) };
    expect(copyToolDeferrals(state, history)).toBe(state);
  });

  test.each([
    ['a call without its result', { callIds: new Set<string>(), messageIds: new Set(['m1', 'm3']) }],
    ['no message that a tool entered at', { callIds: new Set(['c1']), messageIds: new Set(['m1']) }],
    ['only what came before a compaction', { callIds: new Set(['c1']), messageIds: new Set(['m0', 'm3']) }],
  ])('a copy with %s starts empty', (_, history) => {
    expect(copyToolDeferrals(state, history)).toBe(noToolDeferrals);
  });

  test('a copy of no message starts empty, though nothing was late', () => {
    const early = played([tools('a'), { ...nothingYet, last: 'm1' }]);
    const none = { callIds: new Set<string>(), messageIds: new Set<string>() };
    expect(copyToolDeferrals(early, none)).toBe(noToolDeferrals);
  });
});

describe('as text', () => {
  test.each([
    ['{', 'cut off'],
    ['{"version":2,"late":[],"definitions":[]}', 'of a later version'],
    ['{"version":1,"baseline":[1],"late":[],"definitions":[]}', 'with a baseline of numbers'],
    [
      '{"version":1,"late":[{"name":"a","at":{"type":"call"}}],"definitions":[]}',
      'with a place without its call',
    ],
    ['{"version":1,"late":[],"definitions":[["a"]]}', 'with half a definition'],
    ['null', 'of nothing'],
  ])('DP4: %s is no state (%s)', (text) => {
    expect(parseToolDeferrals(text)).toBeUndefined();
  });
});

/** What the state must answer, told a second time in the plainest way: one list of all that was ever declared. */
interface Model {
  readonly place: Map<string, string>;
  readonly digest: Map<string, string>;
  hasBaseline: boolean;
}

function modelMark(
  model: Model,
  present: readonly PresentTool[],
  { lastSuccess, last, lateTools }: CallPosition,
): void {
  for (const { name, digest } of present) if (!model.digest.has(name)) model.digest.set(name, digest);
  for (const name of model.digest.keys()) {
    const place = model.place.get(name);
    if (place !== undefined && place !== 'waiting') continue;
    if (!model.hasBaseline) model.place.set(name, 'inline');
    else if (lastSuccess?.isSent === false) model.place.set(name, lastSuccess.callId);
    else {
      const hasPlace = lastSuccess !== undefined || lateTools === 'tail';
      model.place.set(name, (hasPlace ? last : undefined) ?? 'waiting');
    }
  }
  model.hasBaseline = true;
}

const anyTools = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', '12', '__proto__'),
    digest: fc.constantFrom('1', '2'),
  }),
  { selector: ({ name }) => name, maxLength: 5 },
);

const anyPosition: fc.Arbitrary<CallPosition> = fc.record({
  lastSuccess: fc.option(fc.record({ callId: fc.constantFrom('c1', 'c2', 'c3'), isSent: fc.boolean() }), {
    nil: undefined,
  }),
  last: fc.option(fc.constantFrom('m1', 'm2', 'm3'), { nil: undefined }),
  lateTools: fc.constantFrom('tail', 'call', 'list'),
});

test('D1–D6, D8, D10, D12: any story of calls marks as a plain model of it does, and its text gives it back', () => {
  const story = fc.array(fc.tuple(anyTools, anyPosition), { maxLength: 12 });
  fc.assert(
    fc.property(story, (calls) => {
      let state = noToolDeferrals;
      const model: Model = { place: new Map(), digest: new Map(), hasBaseline: false };
      for (const [present, position] of calls) {
        const before = serialiseToolDeferrals(state);
        const marking = markTools(state, present, position);
        modelMark(model, present, position);
        expect(serialiseToolDeferrals(state)).toBe(before);
        expect(marking.isChanged).toBe(serialiseToolDeferrals(marking.deferrals) !== before);
        const declared = marking.tools.map(({ name, digest, place }): [string, unknown] => [
          name,
          [
            digest,
            place.type === 'call' ? place.callId : place.type === 'message' ? place.messageId : 'inline',
          ],
        ]);
        const expected = [...model.digest].flatMap(([name, digest]): [string, unknown][] => {
          const place = model.place.get(name);
          if (place !== 'waiting') return [[name, [digest, place]]];
          return position.lateTools === 'tail' ? [] : [[name, [digest, 'inline']]];
        });
        expect(new Map(declared)).toEqual(new Map(expected));
        state = parseToolDeferrals(serialiseToolDeferrals(marking.deferrals)) ?? noToolDeferrals;
        expect(state).toEqual(marking.deferrals);
      }
    }),
    { seed: inject('seed'), numRuns: 2_000 },
  );
});
