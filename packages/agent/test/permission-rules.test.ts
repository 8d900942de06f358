import fc from 'fast-check';
import { AgentError } from '@quartermaster/agent';
import { explainFinding, warnOfUnusedRules } from '@quartermaster/agent/permissions';
import type { PermissionAnswer, PermissionRule, RuleSource } from '@quartermaster/agent/permissions';
import { describe, expect, inject, test } from 'vitest';
import { decideOn, engineOf, rule } from './engine.ts';

const seed = inject('seed');
const strictness: readonly PermissionAnswer[] = ['allow', 'ask', 'deny'];

function faultOf(...rules: readonly (string | PermissionRule)[]): string {
  try {
    engineOf(rules);
  } catch (error) {
    if (error instanceof AgentError && error.code === 'POLICY_INVALID') return error.message;
    throw error;
  }
  return 'none';
}

describe('P2: without a declaration there is no call', () => {
  test.each([undefined, []])('P2: capabilities %j are denied, whatever the rules say', (capabilities) => {
    const decision = engineOf(['allow *']).decide({ tool: 'probe', capabilities, input: {} });
    expect(decision).toMatchObject({
      type: 'deny',
      reason: expect.stringContaining('declares no capabilities'),
    });
  });

  test('P2: exempt is a declaration', () => {
    expect(engineOf(['deny *']).decide({ tool: 'probe', capabilities: 'exempt', input: {} }).type).toBe(
      'allow',
    );
  });

  test.each([
    [{}],
    [{ target: 7 }],
    [{ target: null }],
    [{ target: '' }],
    [{ target: [] }],
    [{ target: ['a', 7] }],
    [null],
    ['target'],
    [Object.create({ target: 'inherited' })],
  ])('P1: a target that is missing from the arguments %j is a denial', (input) => {
    const capabilities = [{ capability: 'memory.write', target: { argument: 'target' } }];
    const decision = engineOf(['allow *']).decide({ tool: 'probe', capabilities, input });
    expect(decision.type).toBe('deny');
    expect(decision.findings).toEqual([
      {
        answer: 'deny',
        capability: 'memory.write',
        target: 'no target',
        note: 'the argument "target" must say on what, as a text or a list of texts',
      },
    ]);
  });

  test('P1: each of a list of targets has to be allowed', () => {
    const engine = engineOf(['allow filesystem.write: /a/**']);
    expect(decideOn(engine, 'filesystem.write', ['/a/1', '/a/2']).type).toBe('allow');
    expect(decideOn(engine, 'filesystem.write', ['/a/1', '/b/2']).type).toBe('ask');
  });

  test('P1: what an argument computes is no target: it may be another when the tool looks', () => {
    const engine = engineOf(['allow memory.write']);
    const computed = { get: () => 'x', enumerable: true };
    const inputs = [
      Object.defineProperty({}, 'target', computed),
      { target: Object.defineProperty([], '0', computed) },
      new Proxy({ target: 'x' }, {}),
      { target: new Proxy(['x'], {}) },
      Object.create({ target: 'x' }),
    ];
    const capabilities = [{ capability: 'memory.write', target: { argument: 'target' } }];
    for (const input of inputs) {
      expect(engine.decide({ tool: 'probe', capabilities, input }).type).toBe('deny');
    }
  });

  test('P1: each of several capabilities has to be allowed; a constant and no target are targets too', () => {
    const engine = engineOf([
      'allow filesystem.read: /etc/hosts',
      'allow memory.write',
      'deny network.fetch: https://x.org',
    ]);
    const decide = (...capabilities: readonly [string, 'none' | { constant: string }][]): string =>
      engine.decide({
        tool: 'probe',
        capabilities: capabilities.map(([capability, target]) => ({ capability, target })),
        input: {},
      }).type;
    expect(decide(['filesystem.read', { constant: '/etc/hosts' }], ['memory.write', 'none'])).toBe('allow');
    expect(decide(['filesystem.read', { constant: '/etc/shadow' }], ['memory.write', 'none'])).toBe('ask');
    expect(decide(['memory.write', 'none'], ['network.fetch', 'none'])).toBe('ask');
    expect(decide(['filesystem.read', 'none'])).toBe('ask');
  });
});

describe('P3: deny beats ask beats allow', () => {
  test('P3: the strictest rule wins, in any order and from any source', () => {
    const answers = fc.constantFrom<PermissionAnswer>(...strictness);
    const sources = fc.constantFrom<RuleSource>('managed', 'user', 'project', 'session');
    const rules = fc.array(fc.record({ answer: answers, source: sources }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rules, (given) => {
        // Each rule its own pattern, since equal ones of one source may not contradict each other.
        const engine = engineOf(
          given.map((each, index) => ({
            ...each,
            capability: 'memory.write',
            target: `${'*'.repeat(index)}*x`,
          })),
        );
        const strictest = Math.max(...given.map(({ answer }) => strictness.indexOf(answer)));
        expect(decideOn(engine, 'memory.write', 'x').type).toBe(strictness[strictest]);
      }),
      { seed, numRuns: 500 },
    );
  });

  test.each([
    ['a*c', 'ac', true],
    ['a*c', 'abc', true],
    ['a*c', 'xabc', false],
    ['a*c', 'abcx', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'ac', false],
    ['a*b*c', 'a-c', false],
    ['a*b*b*c', 'abbc', true],
    ['a*b*b*c', 'abc', false],
    ['a*b*c*d', 'acbd', false],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['a*bc*c', 'abc', false],
    ['*b*', 'abc', true],
    ['*b*', 'ac', false],
    ['**', '', true],
    ['a.c', 'abc', false],
  ])('P3: a text target of %j covers %j: %s', (pattern, text, isCovered) => {
    const capabilities = [{ capability: 'memory.write', target: { constant: text } }];
    const decision = engineOf([`allow memory.write: ${pattern}`]).decide({
      tool: 'probe',
      capabilities,
      input: {},
    });
    expect(decision.type).toBe(isCovered ? 'allow' : 'ask');
  });

  test.each<[string, object, string]>([
    ['answer', { answer: 'Deny' }, '"Deny" is no answer; expected allow, ask or deny'],
    ['answer', { answer: 'toString' }, '"toString" is no answer'],
    ['source', { source: 'local' }, '"local" is no source; expected managed, user, project, session'],
  ])(
    'P3: a rule of code with another %s than there are (%j) is refused, and not left out',
    (_, change, fault) => {
      expect(faultOf(rule('deny memory.*', change))).toContain(fault);
    },
  );

  test('P3: what is neither allowed nor asked about is denied', () => {
    const child = engineOf(['allow *']).narrow({ rules: [], unmatched: 'Deny' as 'deny' });
    expect(decideOn(child, 'memory.write', 'x').type).toBe('deny');
  });

  test('P3: every fault of a policy is told in a line of its own', () => {
    const lines = faultOf(rule('deny shell.'), rule('allow memory.write:  ')).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines).toEqual([
      expect.stringMatching(/^set for the user: "shell\." is no capability/),
      expect.stringMatching(/^set for the user: the target " " can't be matched: it is empty\.$/),
    ]);
  });

  test('P3: what is decided of several things at once is told of each', () => {
    const capabilities = [
      { capability: 'memory.write', target: { constant: 'a' } },
      { capability: 'memory.read', target: 'none' },
    ] as const;
    const decide = (...rules: readonly string[]) =>
      engineOf(rules).decide({ tool: 'probe', capabilities, input: {} });
    expect(decide()).toMatchObject({
      question:
        'May probe use memory.write a (no rule covers it); and memory.read any target (no rule covers it)?',
    });
    expect(decide('deny memory.*')).toMatchObject({
      reason:
        'probe may not run: memory.write a (user rule "deny memory.*: *" (set for the user)); ' +
        'memory.read any target (user rule "deny memory.*: *" (set for the user)).',
    });
    expect(explainFinding({ answer: 'ask', capability: 'memory.write', target: 'a' })).toBe('memory.write a');
  });

  test('P3: a rule that may cover a target asks, and says that it may', () => {
    const capabilities = [{ capability: 'memory.write', target: 'none' }] as const;
    const decide = (text: string) =>
      engineOf(['allow memory.read', text]).decide({ tool: 'probe', capabilities, input: {} });
    expect(decide('deny memory.write: secret').findings).toMatchObject([
      { answer: 'ask', rule: { answer: 'deny' }, note: 'which may cover it' },
    ]);
    expect(decide('deny memory.write: secret')).toMatchObject({
      question:
        'May probe use memory.write any target ' +
        '(user rule "deny memory.write: secret" (set for the user); which may cover it)?',
    });
    expect(decide('allow memory.write: a').findings).toEqual([
      { answer: 'ask', capability: 'memory.write', target: 'any target', note: 'no rule covers it' },
    ]);
    expect(decide('ask memory.write').findings[0]).not.toHaveProperty('note');
  });

  test('P3: what no rule covers is asked about', () => {
    expect(decideOn(engineOf(['allow memory.read']), 'memory.write', 'x').type).toBe('ask');
  });

  test('P3: one rule twice in one source with different answers is an error that names both places', () => {
    const place = (line: number): Partial<PermissionRule> => ({ place: { file: 'policy.yaml', line } });
    const fault = faultOf(rule('allow memory.write: a', place(3)), rule('deny memory.write: a', place(9)));
    expect(fault).toContain('policy.yaml:3');
    expect(fault).toContain('policy.yaml:9');
    expect(faultOf(rule('allow memory.write: a'), rule('allow memory.write: a'))).toBe('none');
    expect(faultOf(rule('allow memory.write: a'), rule('deny memory.write: a', { source: 'project' }))).toBe(
      'none',
    );
  });

  test('P3: rules added later can not contradict those of their source either, and leave no trace', () => {
    const engine = engineOf([rule('allow memory.write: a', { source: 'session' })]);
    const added = rule('deny memory.write: a', { source: 'session' });
    expect(() => engine.addRules([rule('deny memory.write: b', { source: 'session' }), added])).toThrow(
      'contradicts',
    );
    expect(decideOn(engine, 'memory.write', 'b').type).toBe('ask');
    engine.addRules([rule('deny memory.write: b', { source: 'session' })]);
    engine.addRules([rule('deny memory.write: c', { source: 'session' })]);
    expect(decideOn(engine, 'memory.write', 'a').type).toBe('allow');
    expect(decideOn(engine, 'memory.write', 'b').type).toBe('deny');
    expect(decideOn(engine, 'memory.write', 'c').type).toBe('deny');
  });

  test.each([
    ['deny shell', 'x', 'none'],
    ['deny shell run', 'x', 'no capability'],
    ['deny shell.', 'x', 'no capability'],
    ['deny Shell.*', 'x', 'no capability'],
    ['deny *.run', 'x', 'no capability'],
    ['deny .*', 'x', 'no capability'],
    ['deny shell..run', 'x', 'no capability'],
    ['deny *', '/x/**', 'one kind of capability'],
    ['deny shell.*', 'rm *', 'one kind of capability'],
    ['deny x shell', 'x', 'no capability'],
    ['deny filesystem.write', ' ', 'it is empty'],
    ['deny filesystem.write', '/x/*/../y', '.. can not follow'],
    ['deny network.fetch', 'example.com', 'expected scheme'],
    ['deny network.fetch', 'https://u:p@example.com', 'expected'],
    ['deny shell.run', 'rm x; rm y', 'one plain command'],
    ['deny shell.run', 'rm "x', 'one plain command'],
  ])(
    'P3: a rule that could match nothing that was meant (%s: %s) stops the start (case 97)',
    (head, target, says) => {
      const [answer = '', capability = ''] = head.split(/ (.*)/s);
      const fault = faultOf({
        ...rule(`${answer} x`),
        capability,
        target,
        place: { file: 'p.yaml', line: 2 },
      });
      expect(fault).toContain(says);
      if (says !== 'none') expect(fault).toContain('p.yaml:2');
    },
  );

  test('P3: a rule that no tool falls under is warned of, with the nearest capability (case 97)', () => {
    const rules = [
      rule('deny memory.wirte', { place: { file: 'p.yaml', line: 4 } }),
      ...['allow memory.*', 'deny *', 'deny filesystem.write: /x', 'allow mail.send'].map((text) =>
        rule(text),
      ),
    ];
    expect(warnOfUnusedRules(rules, ['memory.write', 'shell.run'])).toEqual([
      'p.yaml:4: no tool uses memory.wirte, so the rule never holds. Did you mean memory.write?',
      'set for the user: no tool uses mail.send, so the rule never holds.',
    ]);
    expect(warnOfUnusedRules(rules, ['memory.write'])).toHaveLength(3);
    expect(warnOfUnusedRules([rule('deny memory')], ['memory.write'])).toHaveLength(1);
    expect(warnOfUnusedRules([{ ...rule('deny x'), capability: 'no capability' }], ['x'])).toHaveLength(1);
  });

  test('P3: a rule for one namespace leaves the others alone (case 97)', () => {
    const engine = engineOf(['deny shell.run: rm *', 'allow memory.*']);
    expect(decideOn(engine, 'memory.write', 'rm x').type).toBe('allow');
    expect(decideOn(engine, 'memoryx.write', 'rm x').type).toBe('ask');
  });
});

describe('P4: sources', () => {
  const project = { source: 'project', place: { file: '.qm/policy.yaml', line: 3 } } as const;

  test('P4: what a project allows counts once its folder is trusted; what it denies counts always', () => {
    const rules = [rule('allow memory.write', project), rule('deny memory.read', project)];
    const stranger = engineOf(rules, { isTrusted: false });
    const decision = decideOn(stranger, 'memory.write', 'x');
    expect(decision).toMatchObject({ type: 'ask', question: expect.stringContaining('trust the folder') });
    expect(decideOn(stranger, 'memory.read', 'x').type).toBe('deny');
    expect(decideOn(engineOf(rules), 'memory.write', 'x').type).toBe('allow');
    expect(decideOn(engineOf(['allow memory.write'], { isTrusted: false }), 'memory.write', 'x').type).toBe(
      'allow',
    );
  });

  test('P4: every decision names the rule behind it, its source, file and line', () => {
    const rules = [
      rule('deny memory.write: a', { ...project, because: 'it is shared' }),
      rule('allow memory.write'),
    ];
    const denied = decideOn(engineOf(rules), 'memory.write', 'a');
    expect(denied).toMatchObject({
      type: 'deny',
      reason: expect.stringMatching(
        /project rule "deny memory\.write: a" \(\.qm\/policy\.yaml:3, because it is shared\)/,
      ),
    });
    const [finding] = decideOn(engineOf(rules), 'memory.write', 'b').findings;
    expect(finding && explainFinding(finding)).toContain('user rule "allow memory.write: *"');
  });

  test('P4: of two equally strict rules the one of the more general source explains', () => {
    const rules = [rule('deny memory.write: *a'), rule('deny memory.write: a*', { source: 'managed' })];
    expect(decideOn(engineOf(rules), 'memory.write', 'a').findings[0]?.rule?.source).toBe('managed');
  });
});

describe('P8: a sub-agent', () => {
  test('P8: never gets more than its parent, and less where its own rules say so', () => {
    const parent = engineOf(['allow memory.*', 'deny memory.delete']);
    const child = parent.narrow({ rules: [rule('allow *'), rule('deny memory.write')] });
    expect(decideOn(child, 'memory.read', 'x').type).toBe('allow');
    expect(decideOn(child, 'memory.write', 'x').type).toBe('deny');
    expect(decideOn(child, 'memory.delete', 'x').type).toBe('deny');
    expect(decideOn(child, 'network.fetch', 'https://x.org').type).toBe('ask');
  });

  test('P8: what its own rules leave open is as its parent says, or asked about, or denied', () => {
    const parent = engineOf(['allow memory.*']);
    const answer = (unmatched?: 'ask' | 'deny' | 'inherit'): string =>
      decideOn(parent.narrow({ rules: [], ...(unmatched && { unmatched }) }), 'memory.write', 'x').type;
    for (const options of [{}, { unmatched: 'inherit' as const }]) {
      const child = parent.narrow({ rules: [], ...options });
      expect(decideOn(child, 'memory.write', 'x').findings).toMatchObject([
        { answer: 'allow', rule: { answer: 'allow' } },
        { answer: 'allow', note: 'the agent itself says nothing of it' },
      ]);
    }
    expect([answer(), answer('inherit'), answer('ask'), answer('deny')]).toEqual([
      'allow',
      'allow',
      'ask',
      'deny',
    ]);
  });

  test('P8: a rule that its parent gets later holds for it and for its own sub-agents', () => {
    const parent = engineOf(['allow memory.*']);
    const grandchild = parent.narrow({ rules: [] }).narrow({ rules: [] });
    expect(decideOn(grandchild, 'memory.write', 'x').type).toBe('allow');
    parent.addRules([rule('deny memory.write', { source: 'session' })]);
    expect(decideOn(grandchild, 'memory.write', 'x').type).toBe('deny');
  });

  test('P8: it is narrowed from its parent however the method is called', () => {
    const { narrow } = engineOf(['deny memory.write']);
    expect(decideOn(narrow({ rules: [] }), 'memory.write', 'x').type).toBe('deny');
    expect(decideOn(narrow({ rules: [rule('allow *')] }), 'memory.read', 'x').type).toBe('ask');
  });

  test('P8: what it is allowed itself is not its parent’s', () => {
    const parent = engineOf([]);
    const child = parent.narrow({ rules: [] });
    child.addRules([rule('allow memory.write', { source: 'session' })]);
    expect(decideOn(child, 'memory.write', 'x').type).toBe('ask');
  });
});
