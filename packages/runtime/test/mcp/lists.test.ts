import { describe, expect, inject, test } from 'vitest';
import fc from 'fast-check';
import { createToolRegistry } from '@quartermaster/agent';
import { createQualifiedNames, fromJsonSchema, toJsonSchema } from '@quartermaster/agent/engine';
import { formatMcpStatus } from '@quartermaster/runtime/toolsets';
import { admitTools } from '../../src/toolsets/mcp/admit-tools.ts';
import { readArgumentSchema } from '../../src/toolsets/mcp/argument-schema.ts';
import { createBench, program } from './bench.ts';

const lister = (tools: unknown, mode = 'echo', ...rest: readonly string[]) =>
  program('hostile', mode, JSON.stringify(tools), ...rest);
const object = { type: 'object' };
const plain = (name: string, more: object = {}) => ({ name, inputSchema: object, ...more });

describe('case 119: one broken schema hides no other tool', () => {
  const broken = [
    { name: 'ok', inputSchema: object },
    {
      name: 'a',
      inputSchema: {
        anyOf: [
          { ...object, required: ['x'] },
          { ...object, required: ['y'] },
        ],
      },
    },
    { name: 'b', inputSchema: { type: 'string' } },
    { name: 'c', inputSchema: {} },
    { name: 'd', inputSchema: null },
    { name: 'e', inputSchema: { type: ['object', 'null'] } },
  ];

  test('five of six are offered, each with an object at its top, and the other is named with the reason', async () => {
    await using bench = createBench(lister(broken), { name: 'files' });
    await bench.start();
    expect(bench.names()).toEqual(['ok', 'a', 'c', 'd', 'e']);
    expect(bench.warnings).toEqual(['MCP server files: tool "b": its arguments are no object but "string".']);
    expect(formatMcpStatus(bench.toolset.status())).toBe('files: ready, 5 of 6 tools');
    for (const { inputSchema } of bench.toolset.tools()) {
      expect(toJsonSchema(inputSchema)).toMatchObject({ type: 'object' });
    }
  });

  test('a tool of several forms is told as one property, and the server gets what stands in it', async () => {
    await using bench = createBench(lister(broken));
    await bench.start();
    const [, several] = bench.toolset.tools();
    expect(several && toJsonSchema(several.inputSchema)).toEqual({
      type: 'object',
      properties: { arguments: broken[1]?.inputSchema },
      required: ['arguments'],
      additionalProperties: false,
    });
    expect(await bench.call('a', { arguments: { x: 1 } })).toEqual({ type: 'completed', output: '{"x":1}' });
    expect(await bench.call('a', { x: 1 })).toMatchObject({ type: 'failed' });
  });
});

describe('case 121: references', () => {
  const recursive = {
    type: 'object',
    properties: { q: { $ref: '#/$defs/Q' } },
    required: ['q'],
    $defs: { Q: { type: 'object', properties: { next: { $ref: '#/$defs/Q' }, n: { enum: ['a', null] } } } },
    additionalProperties: false,
  };

  test('every keyword of the root is kept, and a schema may refer to itself', () => {
    expect(readArgumentSchema(recursive)).toEqual({ type: 'form', form: { schema: recursive } });
  });

  test('what is wrapped keeps its definitions where its references look for them', () => {
    const { type: _, ...several } = { ...recursive, anyOf: [{ $ref: '#/$defs/Q' }] };
    const reading = readArgumentSchema(several);
    expect(reading).toMatchObject({ type: 'form', form: { schema: { $defs: recursive.$defs } } });
  });

  test.each([
    ['to what is not there', { ...object, properties: { q: { $ref: '#/$defs/Q' } } }],
    ['to another document', { ...object, properties: { q: { $ref: 'https://example.com/q.json' } } }],
    [
      'to itself as a whole, where it must be wrapped',
      { anyOf: [{ ...object, properties: { q: { $ref: '#' } } }] },
    ],
  ])('one that refers %s is left out', (_, schema) => {
    expect(readArgumentSchema(schema)).toMatchObject({ type: 'refused' });
  });
});

describe('what no provider would take', () => {
  const deep = (levels: number): object =>
    levels === 0 ? {} : { ...object, properties: { x: deep(levels - 1) } };

  test.each([
    ['a schema of 200 kB', { ...object, description: 'x'.repeat(200_000) }],
    ['one that is nested a thousand deep', deep(500)],
    ['a list', []],
    ['false', false],
    ['a text', 'object'],
  ])('%s is left out', (_, inputSchema) => {
    const { admitted, problems } = admitTools([{ name: 'bad', inputSchema }, plain('good')]);
    expect(admitted.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toEqual([expect.stringContaining('tool "bad": ')]);
  });

  test('keys that a provider refuses at the top are wrapped', () => {
    const schema = { ...object, properties: { $filter: {} } };
    expect(readArgumentSchema(schema)).toMatchObject({ form: { wrappedIn: 'arguments' } });
  });

  test('whatever a server lists, the tools that are offered have names, objects and no more than the limits', () => {
    const schemas = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: fc.constantFrom('object', ['object']), $ref: fc.string() }),
    );
    const tools = fc.array(fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), inputSchema: schemas })));
    fc.assert(
      fc.property(tools, (listed) => {
        const { admitted, problems } = admitTools(listed);
        expect(admitted.length + problems.length).toBeGreaterThanOrEqual(listed.length);
        expect(new Set(admitted.map(({ name }) => name)).size).toBe(admitted.length);
        for (const { inputSchema } of admitted) expect(inputSchema['type']).toBe('object');
      }),
      { seed: inject('seed') },
    );
  });
});

describe('names and texts', () => {
  test('T10: names over the limit and names that no provider takes are called by names that it takes', async () => {
    const long = ['x'.repeat(100), `${'x'.repeat(99)}y`, 'get "a,b"', 'a/b', ' '];
    await using bench = createBench(lister(long.map((name) => plain(name))));
    await bench.start();
    expect(bench.names()).toEqual(long);
    for (const { name } of bench.toolset.tools()) expect(name).toMatch(/^[\w-]{1,64}$/);
    for (const name of long) expect(await bench.call(name)).toEqual({ type: 'completed', output: '{}' });
  });

  test('T10: a tool of one name on two servers is called each on its own', async () => {
    const parts = { registry: createToolRegistry(), names: createQualifiedNames() };
    await using mail = createBench(lister([plain('send')]), { ...parts, name: 'mail' });
    await using post = createBench(lister([plain('send')]), { ...parts, name: 'post' });
    await Promise.all([mail.start(), post.start()]);
    const names = [mail, post].map((bench) => bench.toolset.tools()[0]?.name);
    expect(names).toEqual(['mcp__mail__send', 'mcp__post__send']);
  });

  test('the second tool of a name is left out, and nameless ones are', () => {
    const listed = [
      plain('a', { description: 'first' }),
      plain('a'),
      plain(''),
      { inputSchema: object },
      null,
    ];
    const { admitted, problems } = admitTools(listed);
    expect(admitted).toEqual([{ name: 'a', inputSchema: object, description: 'first' }]);
    expect(problems).toHaveLength(4);
  });

  test('what hides in a description is taken out, and its lines are kept', () => {
    const description = 'Reads\u0000 \u001b[31ma file.\r\nNot \u202ea\u202c \u{e0041}folder.\u0007';
    const { admitted } = admitTools([plain('read', { description })]);
    expect(admitted[0]?.description).toBe('Reads [31ma file.\nNot a folder.');
  });

  test('case 29: a server that asks for deferral is not followed, and that is said', () => {
    const { admitted, problems } = admitTools([plain('t', { defer_loading: true })]);
    expect(admitted).toEqual([{ name: 't', inputSchema: object }]);
    expect(problems).toEqual([expect.stringContaining('tool "t": its defer_loading is ignored')]);
  });
});

describe('long lists', () => {
  test('all pages are read: 3,000 tools', async () => {
    await using bench = createBench(program('hostile', 'pages'));
    await bench.start();
    expect(bench.names()).toHaveLength(3_000);
    expect(bench.names().at(-1)).toBe('tool_2999');
  });

  test('pages that lead to each other for ever end', async () => {
    await using bench = createBench(lister([plain('a')], 'same-cursor'));
    await bench.start();
    expect(bench.names()).toEqual(['a']);
    expect(bench.warnings).toContainEqual(expect.stringContaining('does not end'));
  });
});

describe('a list that changes in mid-session', () => {
  const change = (before: unknown, after: unknown) => lister(before, 'change', JSON.stringify(after));

  test('P6: a tool whose text changed is another one, and that is said (case 99)', async () => {
    const [before, after] = [
      [plain('send', { description: 'Sends.' })],
      [plain('send', { description: 'Sends all.' })],
    ];
    await using bench = createBench(change(before, after));
    await bench.start();
    const approved = bench.tool('send');
    await bench.call('send');
    await bench.until(() => bench.tool('send') !== approved);
    expect(bench.registry.resolve(approved)).toBeUndefined();
    expect(bench.warnings).toEqual([expect.stringContaining('changed its tool mcp__test__send;')]);
  });

  test('a tool that the server no longer lists is no longer called', async () => {
    await using bench = createBench(change([plain('a'), plain('b')], [plain('a')]));
    await bench.start();
    const removed = bench.tool('b');
    await bench.call('a');
    await bench.until(() => bench.names().length === 1);
    const outcome = await bench.callTool(removed);
    expect(outcome).toMatchObject({
      type: 'failed',
      error: { message: expect.stringContaining('no longer') },
    });
  });

  test('a list that can not be read any more leaves the former one, and the server degraded', async () => {
    await using bench = createBench(change([plain('a')], 'none'));
    await bench.start();
    await bench.call('a');
    await bench.untilState('degraded');
    expect(bench.names()).toEqual(['a']);
    expect(await bench.call('a')).toMatchObject({ type: 'completed' });
    expect(formatMcpStatus(bench.toolset.status())).toContain('degraded, 1 of 1 tools: its changed list');
  });
});

test('only the tools that the agent file names are offered, and one that is not there is told', async () => {
  await using bench = createBench({ ...lister([plain('a'), plain('b')]), tools: ['b', 'c'] });
  await bench.start();
  expect(bench.names()).toEqual(['b']);
  expect(bench.warnings).toEqual([expect.stringContaining('tool "c": the agent file names it')]);
});

test('T6: a tool whose name the application has is left out, and hides no other', async () => {
  const registry = createToolRegistry();
  registry.register({
    name: 'mcp__test__a',
    description: 'Own.',
    inputSchema: fromJsonSchema(object),
    capabilities: 'exempt',
    run: () => 'own',
  });
  await using bench = createBench(lister([plain('a'), plain('b')]), { registry });
  await bench.start();
  expect(bench.names()).toEqual(['b']);
  expect(bench.warnings).toEqual([expect.stringContaining('mcp__test__a')]);
});
