import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { decideDeferral, unitOf, type RuleInput, type SessionTools } from '@quartermaster/deferral';
import { slowReasons } from './slow-rule.ts';

const seed = inject('seed');

const pool = [
  'Bash',
  'Read',
  'WebFetch',
  'NotebookEdit',
  'bash',
  'quartermaster_find_tools',
  'mcp__git__log',
  'mcp__git__push',
  'mcp__git__tag',
  'mcp__git2__log',
  'mcp__a__b__c',
  'mcp__a__b__d',
  'mcp__a___x',
  'mcp__git',
  'mcp__a__',
  'mcp____x',
  'mcp____x__y',
  '',
];

const anyName = fc.constantFrom(...pool);
const fewNames = fc.uniqueArray(anyName, { maxLength: 2 });
const rarely = fc.oneof(
  { weight: 4, arbitrary: fc.constant<string[]>([]) },
  { weight: 1, arbitrary: fewNames },
);

/** Most sessions declare nearly all and use little: else hardly anything would ever be deferred. */
const anySession: fc.Arbitrary<SessionTools> = fc
  .record({ undeclared: rarely, used: rarely })
  .map(({ undeclared, used }) => ({
    declared: new Set(pool.filter((name) => !undeclared.includes(name))),
    used: new Set(used),
  }));

const anyTool = fc.record({
  name: anyName,
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('client' as const) },
    { weight: 1, arbitrary: fc.constantFrom('deferred' as const, 'server' as const) },
  ),
});

const anyInput: fc.Arbitrary<RuleInput> = fc
  .record({
    tools: fc.uniqueArray(anyTool, { selector: (tool) => tool.name, maxLength: pool.length }),
    usedInThread: rarely.map((names) => new Set(names)),
    tenantSessions: fc.oneof(
      { weight: 4, arbitrary: fc.array(anySession, { minLength: 3, maxLength: 5 }) },
      { weight: 1, arbitrary: fc.array(anySession, { maxLength: 2 }) },
    ),
    projectSessions: fc.array(anySession, { maxLength: 12 }),
    keep: fc.oneof(
      { weight: 3, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.subarray([...pool, 'mcp__git', 'mcp__a', 'Note*', 'mcp__git*', 'x*']) },
    ),
    forced: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyName }),
    weights: fc.array(fc.constantFrom(0, 66, 100, 199, 200, 201, 900), {
      minLength: pool.length,
      maxLength: pool.length,
    }),
  })
  .map(({ weights, ...input }) => ({ ...input, weigh: (name) => weights[pool.indexOf(name)] ?? 0 }));

test('RU1 to RU8, RW4: the decision is that of the rule read off tool by tool', () => {
  let decidedSomething = 0;
  fc.assert(
    fc.property(anyInput, (input) => {
      const decision = decideDeferral(input);
      const expected = slowReasons(input);
      expect(decision.reasons).toEqual(expected);
      const deferred = [...expected].filter(([, reason]) => reason === 'deferred').map(([name]) => name);
      expect(decision.tools).toEqual(deferred.toSorted());
      expect(decision.units).toEqual([...new Set(deferred.map(unitOf))].toSorted());
      if (deferred.length > 0) decidedSomething += 1;
    }),
    { seed, numRuns: 2_000 },
  );
  expect(decidedSomething).toBeGreaterThan(500);
});

test('RU7, RU8: only client tools of the request are deferred, and every tool has a reason', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const decision = decideDeferral(input);
      const client = input.tools.filter((tool) => tool.kind === 'client').map((tool) => tool.name);
      expect(client).toEqual(expect.arrayContaining([...decision.tools]));
      expect([...decision.reasons.keys()].toSorted()).toEqual(
        input.tools.map((tool) => tool.name).toSorted(),
      );
      if (client.length > 0) expect(decision.tools.length).toBeLessThan(client.length);
    }),
    { seed },
  );
});

test('RU1 to RU3: one more use never defers more, but for the unit that RW4 had kept', () => {
  const where = fc.record({ list: fc.constantFrom('thread', 'tenant', 'project'), index: fc.nat(11) });
  fc.assert(
    fc.property(anyInput, anyName, where, (input, name, { list, index }) => {
      const withUse = (sessions: readonly SessionTools[]) =>
        sessions.map((one, at) => (at === index ? { ...one, used: new Set([...one.used, name]) } : one));
      const before = decideDeferral(input);
      const after = decideDeferral({
        ...input,
        usedInThread: list === 'thread' ? new Set([...input.usedInThread, name]) : input.usedInThread,
        tenantSessions: list === 'tenant' ? withUse(input.tenantSessions) : input.tenantSessions,
        projectSessions: list === 'project' ? withUse(input.projectSessions) : input.projectSessions,
      });
      const allowed = [...before.reasons]
        .filter(([, reason]) => reason === 'deferred' || reason === 'last-loaded')
        .map(([tool]) => tool);
      expect(allowed).toEqual(expect.arrayContaining([...after.tools]));
    }),
    { seed },
  );
});

test('RU8: the order in which sets, the keep list and older sessions were filled changes nothing', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const turned = ({ declared, used }: SessionTools): SessionTools => ({
        declared: new Set([...declared].toReversed()),
        used: new Set([...used].toReversed()),
      });
      const again = decideDeferral({
        ...input,
        usedInThread: new Set([...input.usedInThread].toReversed()),
        tenantSessions: input.tenantSessions.map(turned),
        projectSessions: input.projectSessions.map(turned),
        keep: input.keep.toReversed(),
      });
      expect(again).toEqual(decideDeferral(input));
    }),
    { seed },
  );
});

test('RU8, RW4: the order of the request decides nothing but which unit stays loaded', () => {
  const withoutLast = (input: RuleInput) =>
    new Map(
      [...decideDeferral(input).reasons].map(([name, reason]) => [
        name,
        reason === 'last-loaded' ? 'deferred' : reason,
      ]),
    );
  const inputAndOrder = anyInput.chain((input) =>
    fc.record({
      input: fc.constant(input),
      tools: fc.shuffledSubarray([...input.tools], { minLength: input.tools.length }),
    }),
  );
  fc.assert(
    fc.property(inputAndOrder, ({ input, tools }) => {
      expect(withoutLast({ ...input, tools })).toEqual(withoutLast(input));
    }),
    { seed },
  );
});
