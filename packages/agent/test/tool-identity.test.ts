import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DuplicateToolError, createToolRegistry, registerTool } from '@quartermaster/agent';
import type { ToolDefinition } from '@quartermaster/agent';
import { assembleTools, callTool } from '@quartermaster/agent/engine';
import type * as agent from '@quartermaster/agent';
import { call, echo, registerEcho } from './tools.ts';

const backend = 'runtime';

/** Everything that looks like the registered tool `read_note` without being it. */
function lookAlikes(definition: ToolDefinition<{ text: string }>, tool: object): [string, object][] {
  const namesake = { read_note: () => 'stolen' }.read_note;
  const Named = class read_note {
    readonly name = 'read_note';
    readonly run = (): string => 'stolen';
  };
  return [
    ['a look-alike function', namesake],
    ['a proxy of the tool', new Proxy(tool, {})],
    ['a proxy of the function', new Proxy(definition.run, {})],
    ['a spread copy', { ...tool }],
    ['a bound function', definition.run.bind(undefined)],
    ['a class with the same name', Named],
    ['an instance of such a class', new Named()],
    ['a frozen clone', Object.freeze({ ...definition })],
    ['an object that inherits from the tool', Object.create(tool) as object],
    ['a copy with the same prototype and descriptors', clone(tool)],
  ];
}

function clone(tool: object): object {
  return Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool)) as object;
}

describe('T1: the object is the identity', () => {
  test('T1: the function, the definition and the tool resolve to one definition; their name resolves to nothing', () => {
    const registry = createToolRegistry();
    const definition = echo('read_note');
    const tool = registerTool(registry, definition);
    expect(registry.resolve(tool)).toBe(tool);
    expect(registry.resolve(definition)).toBe(tool);
    expect(registry.resolve(definition.run)).toBe(tool);
    expect(registry.resolve('read_note')).toBeUndefined();
    for (const nothing of [undefined, null, 1, Symbol('read_note')]) {
      expect(registry.resolve(nothing)).toBeUndefined();
    }
  });

  test('T1: two registries know nothing of each other, also with equal tools', async () => {
    const [ours, theirs] = [createToolRegistry(), createToolRegistry()];
    const tool = registerEcho(ours, 'read_note');
    registerEcho(theirs, 'read_note');
    expect(theirs.resolve(tool)).toBeUndefined();
    expect(await call(theirs, tool)).toMatchObject({ type: 'denied' });
    expect(await call(ours, tool)).toEqual({ type: 'completed', output: 'hello' });
  });

  test('T1: a tool that passed through another registry is that registry’s alone', () => {
    const [ours, theirs] = [createToolRegistry(), createToolRegistry()];
    const tool = registerEcho(ours, 'read_note', { requires: 'memory' });
    const passed = theirs.register(tool);
    expect(ours.resolve(passed)).toBeUndefined();
    expect(theirs.resolve(passed)).toBe(passed);
    expect(ours.resolve(tool)).toBe(tool);
  });

  test('T1: two copies of the package know nothing of each other', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-agent-'));
    try {
      await cp(path.join(import.meta.dirname, '../src'), folder, { recursive: true });
      const copy = (await import(pathToFileURL(path.join(folder, 'tools/tool-registry.ts')).href)) as Pick<
        typeof agent,
        'createToolRegistry'
      >;
      const [ours, theirs] = [createToolRegistry(), copy.createToolRegistry()];
      const [tool, other] = [registerEcho(ours, 'read_note'), theirs.register(echo('read_note'))];
      expect(theirs.resolve(tool)).toBeUndefined();
      expect(ours.resolve(other)).toBeUndefined();
      expect(theirs.resolve(other)).toBe(other);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('T1: what an application changes later changes no tool', () => {
    const registry = createToolRegistry();
    const capabilities = [{ capability: 'filesystem.read', target: { argument: 'path' } }];
    const definition = { ...echo('read_note'), capabilities, requires: ['memory'] as 'memory'[] };
    const tool = registerTool(registry, definition);
    Object.assign(definition, { capabilities: 'exempt', name: 'other' });
    capabilities[0] = { capability: 'none', target: { argument: 'x' } };
    expect(tool).toMatchObject({
      name: 'read_note',
      capabilities: [{ capability: 'filesystem.read', target: { argument: 'path' } }],
    });
    expect(() => Object.assign(tool, { capabilities: 'exempt' })).toThrow(TypeError);
    expect(Object.isFrozen(tool.capabilities) && Object.isFrozen(tool.requires)).toBe(true);
    const [use] = tool.capabilities === 'exempt' ? [] : (tool.capabilities ?? []);
    expect(Object.isFrozen(use) && Object.isFrozen(use?.target)).toBe(true);
  });
});

describe('T2: a name gives no right', () => {
  const registry = createToolRegistry();
  const definition = echo('read_note', { requires: 'memory', isLongRunning: true });
  const tool = registerTool(registry, definition);

  test.each(lookAlikes(definition, tool))('T2: %s gets nothing and is denied', async (_, candidate) => {
    expect(registry.resolve(candidate)).toBeUndefined();
    expect(registry.identify(candidate)).toBeUndefined();
    expect(await call(registry, candidate)).toMatchObject({ type: 'denied' });
  });

  test.each(lookAlikes(definition, tool))(
    'T4: %s passes through assembly exactly as it came',
    (_, candidate) => {
      const [assembled] = assembleTools(registry, [candidate], { backend }).tools;
      expect(assembled?.type === 'unbound' && assembled.supplied).toBe(candidate);
    },
  );

  test('T4: what has no name, or the same object twice, passes through as well', () => {
    const anonymous = [() => 1, () => 2, {}];
    const { tools } = assembleTools(registry, [...anonymous, anonymous[0] ?? {}], { backend });
    expect(tools.map((one) => one.type === 'unbound' && one.supplied)).toEqual([...anonymous, anonymous[0]]);
    const nameless = assembleTools(registry, [{ name: 7 }, {}, {}], { backend });
    expect(nameless.tools.map(({ name }) => name)).toEqual(['', '', '']);
    expect(nameless.find('')).toBeUndefined();
  });

  test('T4: a tool and its look-alike in one agent are refused, since the model could not tell them apart', () => {
    const lookAlike = { name: 'read_note', run: () => 'stolen' };
    expect(() => assembleTools(registry, [tool, lookAlike], { backend })).toThrow(
      expect.objectContaining({ code: 'TOOL_DUPLICATE', message: expect.stringContaining('read_note') }),
    );
    expect(assembleTools(registry, [tool, definition.run, 'read_note'], { backend }).tools).toHaveLength(1);
    expect(assembleTools(registry, [lookAlike, lookAlike], { backend }).tools).toHaveLength(1);
    expect(() => assembleTools(registry, [lookAlike, tool], { backend })).toThrow(DuplicateToolError);
    expect(() => assembleTools(registry, [lookAlike, { ...lookAlike }], { backend })).toThrow(
      DuplicateToolError,
    );
  });
});

describe('T3: whatever the framework issues resolves', () => {
  test('T3: a registered tool, its variant with services, a renamed one and an engine’s own object', async () => {
    const registry = createToolRegistry();
    const tool = registerEcho(registry, 'read_note', { requires: 'memory' });
    const variant = registry.issueVariant(tool, () => 'from the variant');
    const native = { kind: 'FunctionTool', wraps: tool };
    registry.bind(tool, native);
    const renamed = registry.rename(tool, 'open_note');
    for (const issued of [tool, variant, native]) expect(registry.resolve(issued)).toBe(tool);
    expect(registry.resolve(renamed)).toMatchObject({ name: 'open_note', requires: 'memory' });
    const long = registerEcho(registry, 'wait', { isLongRunning: true });
    expect(registry.rename(long, 'wait_for').isLongRunning).toBe(true);
    expect(await call(registry, variant)).toEqual({ type: 'completed', output: 'from the variant' });
    expect(await call(registry, native)).toEqual({ type: 'completed', output: 'hello' });
    expect(await call(registry, renamed)).toEqual({ type: 'completed', output: 'hello' });
  });

  test('T3: a variant stays itself in an assembly, with the rights of its definition', () => {
    const registry = createToolRegistry();
    const tool = registerEcho(registry, 'read_note');
    const variant = registry.issueVariant(tool, () => 'from the variant');
    expect(assembleTools(registry, [variant], { backend }).find('read_note')).toMatchObject({
      definition: tool,
      tool: variant,
    });
  });

  test('T3: instances of one class share their method and stay apart', async () => {
    class Notes implements ToolDefinition<{ text: string }> {
      readonly inputSchema = echo('').inputSchema;
      readonly capabilities = 'exempt';
      readonly description = 'Reads a note.';
      readonly name: string;
      constructor(name: string) {
        this.name = name;
      }
      run(): string {
        return this.name;
      }
    }
    const registry = createToolRegistry();
    const [first, second] = [new Notes('first'), new Notes('second')];
    for (const notes of [first, second]) registerTool(registry, notes);
    expect(registry.resolve(Notes.prototype.run)).toBeUndefined();
    expect(await call(registry, first)).toEqual({ type: 'completed', output: 'first' });
    expect(await call(registry, second)).toEqual({ type: 'completed', output: 'second' });
  });

  test('T3: an object that is one tool can not be bound to another one', () => {
    const registry = createToolRegistry();
    const exempt = registerEcho(registry, 'read_note');
    const definition = echo('drop_notes', {
      capabilities: [{ capability: 'notes.drop', target: 'none' }],
    });
    const gated = registerTool(registry, definition);
    for (const candidate of [gated, definition, definition.run]) {
      expect(() => registry.bind(exempt, candidate)).toThrow(
        expect.objectContaining({ code: 'TOOL_DUPLICATE' }),
      );
      expect(registry.resolve(candidate)).toBe(gated);
    }
    registry.bind(gated, definition);
  });

  test('T3: nothing is made or bound around a tool of another registry', () => {
    const [ours, theirs] = [createToolRegistry(), createToolRegistry()];
    const tool = registerEcho(theirs, 'read_note');
    expect(() => ours.issueVariant(tool, () => 'stolen')).toThrow(
      new TypeError('Expected a tool of this registry, got "read_note".'),
    );
    expect(() => ours.bind(tool, {})).toThrow(TypeError);
  });
});

describe('T6: a name is used once', () => {
  test('T6: a second tool of a name is refused and leaves the first as it was', async () => {
    const registry = createToolRegistry();
    const tool = registerEcho(registry, 'read_note');
    const second = echo('read_note');
    expect(() => registerTool(registry, second)).toThrow(
      expect.objectContaining({
        name: 'DuplicateToolError',
        message: expect.stringContaining('"read_note" is registered or declared already. Use another name'),
      }),
    );
    expect(registry.resolve(second)).toBeUndefined();
    expect(await call(registry, tool)).toEqual({ type: 'completed', output: 'hello' });
  });

  test('T6: replacing retires everything that was bound to the former definition', async () => {
    const registry = createToolRegistry();
    const former = echo('read_note');
    const tool = registerTool(registry, former);
    const variant = registry.issueVariant(tool, () => 'old');
    const successor = registerTool(registry, echo('read_note', { run: () => 'new' }), { replace: true });
    for (const retired of [tool, variant, former, former.run]) {
      expect(registry.resolve(retired)).toBeUndefined();
      expect(await call(registry, retired)).toMatchObject({ type: 'denied' });
    }
    expect(registry.canonicalFor('read_note', backend)).toBe(successor);
    expect(await call(registry, successor)).toEqual({ type: 'completed', output: 'new' });
  });

  test('T6: a replaced tool may keep its function, which then has the new contract', () => {
    const registry = createToolRegistry();
    const former = echo('read_note');
    registerTool(registry, former);
    const successor = registerTool(registry, { ...former, requires: 'memory' }, { replace: true });
    expect(registry.resolve(former.run)).toBe(successor);
    expect(registry.resolve(former)).toBeUndefined();
  });

  test('T6: a function that is one tool can not become another one', () => {
    const registry = createToolRegistry();
    const definition = echo('read_note');
    const tool = registerTool(registry, definition);
    expect(() =>
      registerTool(registry, echo('free_note', { run: definition.run, capabilities: 'exempt' })),
    ).toThrow(
      expect.objectContaining({ code: 'TOOL_DUPLICATE', message: expect.stringContaining('read_note') }),
    );
    expect(registry.resolve(definition.run)).toBe(tool);
    expect(registry.canonicalFor('free_note', backend)).toBeUndefined();
    const other = registerTool(registry, echo('other_note'));
    expect(() =>
      registerTool(registry, echo('other_note', { run: definition.run }), { replace: true }),
    ).toThrow(DuplicateToolError);
    expect(registry.canonicalFor('other_note', backend)).toBe(other);
    expect(registry.resolve(other)).toBe(other);
  });

  test('T6: a tool that is replaced while the gate asks is not run', async () => {
    const registry = createToolRegistry();
    const tool = registerEcho(registry, 'read_note', { run: () => expect.unreachable() });
    const outcome = await callTool(
      tool,
      {
        callId: 'c',
        session: { app: 'a', user: 'u', session: 's' },
        input: { text: '' },
        signal: AbortSignal.abort(),
      },
      {
        registry,
        services: {},
        gate: () => {
          registerTool(registry, echo('read_note'), { replace: true });
          return Promise.resolve({ type: 'allow' });
        },
      },
    );
    expect(outcome).toMatchObject({ type: 'denied' });
  });
});

test('a name may have 64 letters, digits, _ and -; a target may be an argument, a constant or none', () => {
  const capabilities = [
    { capability: 'a.b', target: { argument: 'text' } },
    { capability: 'a.b', target: { constant: 'x' } },
    { capability: 'a.b', target: 'none' as const },
  ];
  const name = `Az_-09${'x'.repeat(58)}`;
  expect(registerEcho(createToolRegistry(), name, { capabilities }).capabilities).toEqual(capabilities);
});

describe('a definition that no registry can hold', () => {
  test.each<[string, object, string]>([
    ['a name that providers refuse', { name: 'read note' }, 'Tool "read note": expected a name of 1 to 64'],
    ['no name', { name: '' }, 'got 0 characters'],
    ['a name that is no text', { name: 7 }, 'got number'],
    ['a name that is a list', { name: ['read_note'] }, 'got object'],
    [
      'a name of 65 characters',
      { name: 'x'.repeat(65) },
      `Tool "${'x'.repeat(64)}": expected a name of 1 to 64 letters, digits, _ or -; got 65 characters.`,
    ],
    ['a blank description', { description: ' ' }, 'Tool "read_note": expected a description'],
    ['no description', { description: undefined }, 'got undefined'],
    [
      'no schema',
      { inputSchema: undefined },
      'expected an inputSchema that is a Standard Schema; it has no "~standard".validate.',
    ],
    ['a schema of another kind', { inputSchema: {} }, 'Standard Schema'],
    ['a schema that can not validate', { inputSchema: { '~standard': {} } }, 'Standard Schema'],
    [
      'a schema whose JSON Schema is for output alone',
      { inputSchema: { '~standard': { validate: () => ({}), jsonSchema: {} } } },
      'it has no "~standard".jsonSchema; zod from 4.2 on has it, other libraries have an adapter.',
    ],
    [
      'a schema without JSON Schema',
      { inputSchema: { '~standard': { validate: () => ({}) } } },
      'JSON Schema',
    ],
    ['no function', { run: 'run' }, 'a function run; got string'],
    [
      'an empty list of capabilities',
      { capabilities: [] },
      "expected capabilities to be 'exempt' or a list with at least one; it is neither.",
    ],
    ['capabilities that are another word', { capabilities: 'none' }, "'exempt' or a list"],
    [
      'a capability without a target',
      { capabilities: [{ capability: 'notes.read' }] },
      "expected each capability to have a name such as notes.read and a target: { argument }, { constant } or 'none'; number 1 has not.",
    ],
    [
      'a capability whose target is a bare text',
      {
        capabilities: [
          { capability: 'a.b', target: 'none' },
          { capability: 'a.b', target: '*' },
        ],
      },
      'number 2 has not',
    ],
    ['a capability without a name', { capabilities: [{ target: 'none' }] }, 'number 1 has not'],
    [
      'a capability whose name is empty',
      { capabilities: [{ capability: '', target: 'none' }] },
      'number 1 has not',
    ],
    ...['Notes.read', 'notes read', 'notes.', '.read', '*', 'notes.*', 'notes.read ', 'notes..read'].map(
      (capability): [string, object, string] => [
        `a capability that no rule can name (${JSON.stringify(capability)})`,
        { capabilities: [{ capability, target: 'none' }] },
        'number 1 has not',
      ],
    ),
    [
      'a capability with two targets',
      { capabilities: [{ capability: 'a.b', target: { argument: 'x', constant: 'y' } }] },
      'number 1 has not',
    ],
    [
      'a capability whose argument is empty',
      { capabilities: [{ capability: 'a.b', target: { argument: '' } }] },
      'number 1 has not',
    ],
  ])('%s is refused with what was expected', (_, changes, expected) => {
    const registry = createToolRegistry();
    expect(() => registerTool(registry, { ...echo('read_note'), ...changes })).toThrow(
      expect.objectContaining({ code: 'TOOL_BAD_DEFINITION', message: expect.stringContaining(expected) }),
    );
    expect(registry.canonicalFor('read_note', backend)).toBeUndefined();
  });
});
