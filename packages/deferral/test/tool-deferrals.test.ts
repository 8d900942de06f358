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

const nothingYet: CallPosition = { lastSuccess: undefined, tail: undefined };

function after(callId: string): CallPosition {
  return { lastSuccess: { callId, isSent: false }, tail: undefined };
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
    const sent = { lastSuccess: { callId: 'c1', isSent: true }, tail: 'm4' };
    const marking = markTools(state, tools('a', 'late'), sent);
    expect(marking.deferrals.late).toEqual([{ name: 'late', at: { type: 'message', messageId: 'm4' } }]);
    expect(marking.breaks).toEqual([]);
    expect(placesOf(marking.deferrals, tools('a', 'late'), after('c2'))).toContainEqual(['late', 'm4']);
  });

  test('D10: where a result is still to be sent, it enters there though the model has a tail', () => {
    const state = played([tools('a'), nothingYet]);
    const position = { lastSuccess: { callId: 'c1', isSent: false }, tail: 'm4' };
    expect(placesOf(state, tools('late'), position)).toContainEqual(['late', 'c1']);
  });

  test('D3, D10: a model with a tail takes it before any success too', () => {
    const state = played([tools('a'), nothingYet]);
    const marking = markTools(state, tools('a', 'early'), { lastSuccess: undefined, tail: 'm1' });
    expect(marking.deferrals.late).toEqual([{ name: 'early', at: { type: 'message', messageId: 'm1' } }]);
    expect(marking.breaks).toEqual([]);
  });

  test('D10: a model without a tail breaks the prefix, and that is told', () => {
    const state = played([tools('a'), nothingYet]);
    const position = { lastSuccess: { callId: 'c1', isSent: true }, tail: undefined };
    const marking = markTools(state, tools('a', 'late'), position);
    expect(marking.deferrals.late).toEqual([{ name: 'late', at: { type: 'call', callId: 'c1' } }]);
    expect(marking.breaks).toEqual([{ name: 'late', cause: 'sent' }]);
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
    [tools('a'), nothingYet],
    [tools('a', 'late'), after('c1')],
    [tools('a', 'late', 'tail'), { lastSuccess: { callId: 'c1', isSent: true }, tail: 'm3' }],
  );

  test('a copy has all of it where every place was copied', () => {
    const history = { callIds: new Set(['c1']), messageIds: new Set(['m1', 'm2', 'm3']) };
    expect(copyToolDeferrals(state, history)).toBe(state);
  });

  test.each([
    ['a call without its result', { callIds: new Set<string>(), messageIds: new Set(['m3']) }],
    ['no message that a tool entered at', { callIds: new Set(['c1']), messageIds: new Set(['m1']) }],
  ])('a copy with %s starts empty', (_, history) => {
    expect(copyToolDeferrals(state, history)).toBe(noToolDeferrals);
  });

  test('a copy of no message starts empty, though nothing was late', () => {
    const early = played([tools('a'), nothingYet]);
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

function modelMark(model: Model, present: readonly PresentTool[], { lastSuccess, tail }: CallPosition): void {
  for (const { name, digest } of present) if (!model.digest.has(name)) model.digest.set(name, digest);
  for (const name of model.digest.keys()) {
    const place = model.place.get(name);
    if (place !== undefined && place !== 'waiting') continue;
    if (!model.hasBaseline) model.place.set(name, 'inline');
    else if (lastSuccess?.isSent === false) model.place.set(name, lastSuccess.callId);
    else model.place.set(name, tail ?? lastSuccess?.callId ?? 'waiting');
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
  tail: fc.option(fc.constantFrom('m1', 'm2', 'm3'), { nil: undefined }),
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
        const expected = [...model.digest].map(([name, digest]): [string, unknown] => {
          const place = model.place.get(name);
          return [name, [digest, place === 'waiting' ? 'inline' : place]];
        });
        expect(new Map(declared)).toEqual(new Map(expected));
        state = parseToolDeferrals(serialiseToolDeferrals(marking.deferrals)) ?? noToolDeferrals;
        expect(state).toEqual(marking.deferrals);
      }
    }),
    { seed: inject('seed'), numRuns: 2_000 },
  );
});
