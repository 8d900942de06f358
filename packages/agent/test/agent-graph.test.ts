import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { createToolRegistry, validateAgentGraph } from '@quartermaster/agent';
import type { AgentConfig } from '@quartermaster/agent';
import { assembleTools, registerHandOffTools, resolvePrompt } from '@quartermaster/agent/engine';
import { call } from './tools.ts';

const agent = (name: string, subAgents?: readonly string[]): AgentConfig => ({
  name,
  prompt: `You are ${name}.`,
  ...(subAgents !== undefined && { subAgents }),
});

/** lead → (writer → editor), reader */
const tree = [
  agent('lead', ['writer', 'reader']),
  agent('writer', ['editor']),
  agent('reader'),
  agent('editor'),
];

describe('G1: the graph', () => {
  test('G1: agents by name, children before parents, and the root', () => {
    const graph = validateAgentGraph(tree);
    expect([...graph.agents.keys()]).toEqual(['lead', 'writer', 'reader', 'editor']);
    expect(graph.agents.get('writer')).toBe(tree[1]);
    expect(graph.buildOrder).toEqual(['editor', 'writer', 'reader', 'lead']);
    expect(graph.root).toBe('lead');
    expect(validateAgentGraph([agent('alone', [])]).buildOrder).toEqual(['alone']);
  });

  test('G1: a fault is found before anything of an agent is called or read but its place in the graph', () => {
    const prompt = (): string => expect.unreachable();
    const configs = [
      { ...agent('lead', ['writer', 'nobody']), prompt },
      {
        ...agent('writer'),
        prompt,
        get tools(): never {
          return expect.unreachable();
        },
        get model(): never {
          return expect.unreachable();
        },
      },
    ];
    expect(() => validateAgentGraph(configs)).toThrow(expect.objectContaining({ name: 'AgentGraphError' }));
    expect(validateAgentGraph([{ ...agent('alone'), prompt }]).root).toBe('alone');
  });
});

describe('G2: what is no tree is refused by the names at fault', () => {
  test.each<[string, readonly AgentConfig[], readonly string[], string]>([
    ['no agent', [], [], 'at least one agent'],
    ['a name twice', [agent('a'), agent('b'), agent('a')], ['a'], '"a" stand twice'],
    [
      'several names twice',
      [agent('b'), agent('a'), agent('b'), agent('a')],
      ['a', 'b'],
      '"a", "b" stand twice',
    ],
    [
      'a reference to nobody',
      [agent('a', ['b', 'nobody']), agent('b', ['no one'])],
      ['a', 'b'],
      'among "a", "b"; found a → nobody, b → no one',
    ],
    ['an agent below itself', [agent('a', ['a', 'b']), agent('b')], ['a'], 'its own sub-agent; "a" are'],
    [
      'a child of two parents',
      [agent('a', ['b', 'c']), agent('b', ['d']), agent('c', ['d']), agent('d')],
      ['b', 'c', 'd'],
      'd by b and c',
    ],
    [
      'two children of two parents',
      [agent('a', ['d', 'b', 'c']), agent('b', ['d', 'c']), agent('c'), agent('d')],
      ['a', 'b', 'c', 'd'],
      'c by a and b; d by a and b.',
    ],
    ['a child named twice', [agent('a', ['b', 'b']), agent('b')], ['a', 'b'], 'b by a and a'],
    [
      'a cycle',
      [agent('c', ['a']), agent('b', ['c']), agent('a', ['b'])],
      ['a', 'b', 'c'],
      'the cycle a → b → c → a',
    ],
    [
      'a cycle beside a tree',
      [agent('root', ['leaf']), agent('leaf'), agent('x', ['y']), agent('y', ['x'])],
      ['x', 'y'],
      'the cycle x → y → x',
    ],
    [
      'two cycles, of which the first by name is told',
      [agent('x', ['y']), agent('y', ['x']), agent('a', ['b']), agent('b', ['a'])],
      ['a', 'b'],
      'the cycle a → b → a',
    ],
    [
      'two roots',
      [agent('b', ['c']), agent('c'), agent('a')],
      ['a', 'b'],
      '"a", "b" are. Let one of them name the others',
    ],
  ])('G2: %s', (_, configs, agents, message) => {
    for (const order of [configs, configs.toReversed()]) {
      expect(() => validateAgentGraph(order)).toThrow(
        expect.objectContaining({
          name: 'AgentGraphError',
          code: 'AGENT_GRAPH',
          agents,
          message: expect.stringContaining(message),
        }),
      );
    }
  });
});

test('G3: the order of declaration never changes the hierarchy', () => {
  const expected = validateAgentGraph(tree);
  const orders = fc.shuffledSubarray(tree, { minLength: tree.length });
  fc.assert(
    fc.property(orders, (configs) => {
      const { buildOrder, root } = validateAgentGraph(configs);
      expect({ buildOrder, root }).toEqual({ buildOrder: expected.buildOrder, root: expected.root });
    }),
    { seed: inject('seed'), numRuns: 50 },
  );
});

test('G3: in any tree each agent is built once, after all of its sub-agents', () => {
  const parents = fc.array(fc.nat(), { maxLength: 30 });
  fc.assert(
    fc.property(parents, fc.infiniteStream(fc.nat()), (choices, random) => {
      const names = [0, ...choices.map((_, index) => index + 1)].map((index) => `agent-${index}`);
      const childrenOf = (parent: number): string[] =>
        choices.flatMap((choice, index) => (choice % (index + 1) === parent ? [`agent-${index + 1}`] : []));
      const configs = names.map((name, index) => agent(name, childrenOf(index)));
      configs.sort(() => ((random.next().value ?? 0) % 3) - 1);
      const { buildOrder, agents, root } = validateAgentGraph(configs);
      expect(buildOrder.toSorted()).toEqual(names.toSorted());
      expect(root).toBe('agent-0');
      for (const [name, { subAgents = [] }] of agents) {
        for (const child of subAgents)
          expect(buildOrder.indexOf(child)).toBeLessThan(buildOrder.indexOf(name));
      }
    }),
    { seed: inject('seed'), numRuns: 100 },
  );
});

describe('G4: prompts', () => {
  interface Settings {
    readonly language: string;
  }
  const settings: Settings = { language: 'French' };
  const resolve = (prompt: unknown): string => {
    const config = { name: 'writer', prompt } as AgentConfig<Settings>;
    validateAgentGraph([config]);
    return resolvePrompt(config, settings);
  };

  test.each<[string, unknown, string]>([
    ['a text', 'Write.', 'Write.'],
    ['a factory without arguments', () => 'Write now.', 'Write now.'],
    ['one whose arguments all have defaults', (a = 'Write', b = '!') => a + b, 'Write!'],
    ['one of the settings', ({ language }: Settings) => `Write ${language}.`, 'Write French.'],
    [
      'one with a default behind the settings',
      ({ language }: Settings, end = '!') => language + end,
      'French!',
    ],
    [
      'a bound one',
      function (this: string) {
        return this;
      }.bind('Write bound.'),
      'Write bound.',
    ],
  ])('G4: %s', (_, prompt, expected) => {
    expect(resolve(prompt)).toBe(expected);
  });

  test('G4: a factory gets the settings that it is resolved with, as they are', () => {
    const given: unknown[] = [];
    const config: AgentConfig<Settings> = { name: 'writer', prompt: (one) => String(given.push(one)) };
    const [first, second] = [{ language: 'a' }, { language: 'b' }];
    resolvePrompt(config, first);
    resolvePrompt(config, second);
    expect(given).toEqual([first, second]);
    expect(given[0]).toBe(first);
  });

  test('G4: a factory that takes nothing is given nothing', () => {
    expect(resolve((...rest: unknown[]) => `${rest.length} arguments`)).toBe('0 arguments');
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['two arguments', (a: string, b: string) => a + b, 'a function of 2 arguments'],
    ['an async factory', async () => 'Write.', 'AsyncFunction'],
    [
      'a generator',
      function* () {
        yield 'Write.';
      },
      'GeneratorFunction',
    ],
    ['a factory that gives a promise', () => Promise.resolve('Write.'), 'a promise'],
    ['a factory that gives a failing promise', () => Promise.reject(new Error('late')), 'a promise'],
    ['a factory that gives something else', () => ({ text: 'Write.' }), 'object'],
    [
      'a factory that throws',
      () => {
        throw new Error('no language');
      },
      'its prompt factory failed',
    ],
  ])('G4: %s is refused by the agent’s name', (_, prompt, came) => {
    expect(() => resolve(prompt)).toThrow(
      expect.objectContaining({
        name: 'AgentGraphError',
        agents: ['writer'],
        message: expect.stringMatching(new RegExp(`"writer".*${came}`)),
      }),
    );
  });

  test('G4: what can be refused without a call is refused with the graph, and without one', () => {
    for (const prompt of [async () => '', (a: string, b: string) => a + b, 7]) {
      const config = { name: 'writer', prompt } as never as AgentConfig;
      expect(() => validateAgentGraph([config])).toThrow('"writer"');
      expect(() => resolvePrompt(config, undefined)).toThrow('expected a prompt');
    }
  });

  test('G4: what a factory threw is the cause', () => {
    const cause = new Error('no language');
    const prompt = (): never => {
      throw cause;
    };
    expect(() => resolve(prompt)).toThrow(expect.objectContaining({ cause }));
  });
});

test('T3: tools that hand work to sub-agents resolve, and belong to the parent alone', async () => {
  const registry = createToolRegistry();
  const handed: unknown[] = [];
  const tools = registerHandOffTools(registry, validateAgentGraph(tree), async (child, task) => {
    handed.push([child, task]);
    return `${child} is done`;
  });
  expect([...tools].map(([name, own]) => [name, own.map((tool) => tool.name)])).toEqual([
    ['lead', ['hand_off_to_writer', 'hand_off_to_reader']],
    ['writer', ['hand_off_to_editor']],
    ['reader', []],
    ['editor', []],
  ]);
  const [toWriter] = assembleTools(registry, tools.get('lead') ?? [], { backend: 'runtime' }).tools;
  const tool = toWriter?.type === 'bound' ? toWriter.tool : undefined;
  expect(registry.resolve(tool)).toBe(tool);
  expect(await call(registry, tool, { input: { task: 'a letter' } })).toEqual({
    type: 'completed',
    output: 'writer is done',
  });
  expect(handed).toEqual([['writer', 'a letter']]);
  expect(await call(registry, tool, { input: {} })).toMatchObject({ type: 'invalid-input' });
});
