import { readFileSync } from 'node:fs';
import { AgentError } from '@quartermaster/agent';
import { parsePolicy, policyJsonSchema } from '@quartermaster/agent/permissions';
import { describe, expect, test } from 'vitest';

const parse = (text: string) => parsePolicy({ file: 'policy.yaml', text, source: 'user' });

function faultOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof AgentError && error.code === 'POLICY_INVALID') return error.message;
    throw error;
  }
  return 'none';
}

test('P4: a policy file becomes rules with their places', () => {
  const text = [
    '# mine',
    'rules:',
    '  - deny: filesystem.write',
    '    target: ~/.ssh/**',
    '    because: keys stay',
    '  - allow: memory.*',
  ].join('\n');
  expect(parse(text)).toEqual([
    {
      answer: 'deny',
      capability: 'filesystem.write',
      target: '~/.ssh/**',
      because: 'keys stay',
      source: 'user',
      place: { file: 'policy.yaml', line: 3 },
    },
    {
      answer: 'allow',
      capability: 'memory.*',
      target: '*',
      source: 'user',
      place: { file: 'policy.yaml', line: 6 },
    },
  ]);
});

test.each(['', '# nothing yet', 'rules: []'])('P4: %j is a policy without rules', (text) => {
  expect(parse(text)).toEqual([]);
});

describe('P4: what is no policy is an error with file and line', () => {
  test.each([
    ['ruls:\n  - allow: x', 'policy.yaml:1: unknown key "ruls". Did you mean rules?'],
    ['rules:\n  - allow: x\n    traget: y', 'policy.yaml:3: unknown key "traget". Did you mean target?'],
    ['rules:\n  - allow: x\n\nelsewhere: 1', 'policy.yaml:4: unknown key "elsewhere". Known are rules.'],
    [
      'rules:\n  - allow: x\n    zzzzzz: y',
      'policy.yaml:3: unknown key "zzzzzz". Known are allow, ask, deny, target, because.',
    ],
    ['rules:\n  - allow: x\n  - 7', 'policy.yaml:3: rules: 1: '],
    [
      'rules:\n  - allow: x\n    target: {a: 1}',
      'policy.yaml:3: rules: 0: target: expected a pattern; * for any.',
    ],
    ['# mine\n- allow: x', 'policy.yaml:2: '],
    ['rules:\n  - target: x', 'policy.yaml:2: expected exactly one of allow, ask and deny'],
    ['rules:\n  - allow: x\n    deny: x', 'policy.yaml:2: expected exactly one of allow, ask and deny'],
    ['rules:\n  - allow: x\n  - deny: 7', 'policy.yaml:3'],
    ['rules:\n  - allow: x\n    target:', 'policy.yaml:3'],
    ['rules: yes', 'policy.yaml:1: rules: expected a list of rules.'],
    ['- allow: x', 'policy.yaml:1'],
    ['rules: [', 'policy.yaml:1'],
    ...['*', '*.md', '**/*.md', '*://example.com'].map((target): [string, string] => [
      `rules:\n  - allow: x\n    target: ${target}`,
      'policy.yaml:3: what starts with * is no text in YAML; put it in quotes.',
    ]),
    ['rules:\n  - allow: *', 'policy.yaml:2: what starts with * is no text in YAML; put it in quotes.'],
    [
      `a: &a [x]\nb: [${Array(200).fill('*a').join()}]\nc: &c [*a]\nrules: [${Array(200).fill('*c').join()}]`,
      'policy.yaml:1: it repeats itself without end.',
    ],
    ['rules:\n  - allow: x\n    allow: y', 'policy.yaml:3'],
  ])('P4: %j', (text, expected) => {
    expect(faultOf(text)).toContain(expected);
  });

  test('P4: all faults are named at once', () => {
    expect(faultOf('rules:\n  - alow: x\n  - dney: x').split('\n')).toEqual([
      'policy.yaml:2: unknown key "alow". Did you mean allow?',
      'policy.yaml:3: unknown key "dney". Did you mean deny?',
    ]);
    expect(faultOf('rules:\n  - target: x\n  - because: x').split('\n')).toHaveLength(2);
    expect(faultOf('rules:\n  - {allow: "}')).toMatch(/^policy\.yaml:2: Missing closing "quote$/m);
  });
});

test('P4: the published JSON Schema of policy files is current', () => {
  const published: unknown = JSON.parse(
    readFileSync(new URL('../policy.schema.json', import.meta.url), 'utf8'),
  );
  expect(published).toEqual(policyJsonSchema());
});
