import { describe, expect, test } from 'vitest';
import { createToolRegistry, declareTool, registerTool } from '@quartermaster/agent';
import type { Tool, ToolRegistry } from '@quartermaster/agent';
import {
  assembleTools,
  declareStateTools,
  registerStateTools,
  toJsonSchema,
} from '@quartermaster/agent/engine';
import type { TaskStore } from '@quartermaster/agent/services';
import type { TaskRecord } from '@quartermaster/store';
import { call, echo, registerEcho } from './tools.ts';

const contract = {
  description: 'Saves a note.',
  capabilities: [
    { capability: 'notes.write', target: { argument: 'text' } },
    { capability: 'notes.index', target: 'none' },
  ],
} as const;

/** `save_note` with the contract of its declaration. */
function registerVariant(registry: ToolRegistry, backend: string, changes: object = {}): Tool {
  const { capabilities: _, ...definition } = echo('save_note', { run: () => backend });
  return registerTool(registry, { ...definition, ...changes }, { variantOf: 'save_note', backend });
}

describe('T7: sharing a name is declared', () => {
  test('T7: each backend registers its own variant of a declared name, with the declared capabilities', async () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', contract);
    const [first, second] = [registerVariant(registry, 'adk'), registerVariant(registry, 'runtime')];
    expect(first.capabilities).toEqual(contract.capabilities);
    expect(await call(registry, first)).toEqual({ type: 'completed', output: 'adk' });
    expect(await call(registry, second)).toEqual({ type: 'completed', output: 'runtime' });
  });

  test('T7: a variant of a name that was not declared is refused, also when a tool has the name', () => {
    const registry = createToolRegistry();
    expect(() => registerVariant(registry, 'runtime')).toThrow(
      expect.objectContaining({
        name: 'UndeclaredVariantError',
        message:
          'Expected "save_note" to be declared before runtime registers its variant of it; it is not. ' +
          'Call declareTool(registry, "save_note", …) first: sharing a name is never inferred.',
      }),
    );
    registerEcho(registry, 'save_note');
    expect(() => registerVariant(registry, 'runtime')).toThrow(
      expect.objectContaining({ code: 'TOOL_UNDECLARED_VARIANT' }),
    );
  });

  test('T7: a variant that contradicts the declared capabilities is refused; their order does not matter', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', contract);
    const contradictions = [
      'exempt' as const,
      contract.capabilities.slice(1),
      [...contract.capabilities, { capability: 'network.fetch', target: 'none' }],
      [{ capability: 'notes.write', target: { constant: 'text' } }, contract.capabilities[1]],
    ];
    for (const capabilities of contradictions) {
      expect(() => registerVariant(registry, 'runtime', { capabilities })).toThrow(
        expect.objectContaining({
          code: 'TOOL_CONTRADICTION',
          message: expect.stringContaining('declared with notes.index(), notes.write(argument text); here'),
        }),
      );
    }
    const constant = [{ capability: 'notes.write', target: { constant: 'text' } }];
    expect(() => registerVariant(registry, 'runtime', { capabilities: constant })).toThrow(
      'here it has notes.write("text").',
    );
    expect(() => registerVariant(registry, 'runtime', { capabilities: 'exempt' })).toThrow(
      'here it has exempt.',
    );
    registerVariant(registry, 'runtime', { capabilities: contract.capabilities.toReversed() });
  });

  test('T7: what an application changes after it declared changes no variant', () => {
    const registry = createToolRegistry();
    const capabilities = [{ capability: 'notes.write', target: { argument: 'text' } }];
    declareTool(registry, 'save_note', { description: 'Saves a note.', capabilities });
    capabilities[0] = { capability: 'none', target: { argument: 'x' } };
    expect(registerVariant(registry, 'runtime').capabilities).toEqual([
      { capability: 'notes.write', target: { argument: 'text' } },
    ]);
  });

  test('T7: the same declaration again is fine, another one is refused', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', contract);
    const variant = registerVariant(registry, 'runtime');
    declareTool(registry, 'save_note', { ...contract, backends: ['adk'] });
    expect(registry.canonicalFor('save_note', 'runtime')).toBe(variant);
    expect(() => declareTool(registry, 'save_note', { ...contract, description: 'Saves.' })).toThrow(
      'Tool "save_note": expected the description of its first declaration',
    );
    for (const changes of [{ description: 'Saves.' }, { capabilities: 'exempt' as const }]) {
      expect(() => declareTool(registry, 'save_note', { ...contract, ...changes })).toThrow(
        expect.objectContaining({ code: 'TOOL_CONTRADICTION' }),
      );
    }
  });

  test('T6: a declared name is taken, and so is a backend’s variant', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', contract);
    registerVariant(registry, 'runtime');
    registerEcho(registry, 'read_note');
    expect(() => registerEcho(registry, 'save_note')).toThrow(
      expect.objectContaining({ code: 'TOOL_DUPLICATE' }),
    );
    expect(() => registerVariant(registry, 'runtime')).toThrow(
      expect.objectContaining({
        code: 'TOOL_DUPLICATE',
        message: expect.stringContaining('"save_note" is registered or declared for runtime already.'),
      }),
    );
    expect(() => declareTool(registry, 'read_note', contract)).toThrow(
      expect.objectContaining({ code: 'TOOL_DUPLICATE' }),
    );
  });

  test('T6: one function for two backends is refused: which of them it is would depend on the order', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', contract);
    const run = (): string => 'shared';
    const variant = registerVariant(registry, 'adk', { run });
    expect(() => registerVariant(registry, 'runtime', { run })).toThrow(
      expect.objectContaining({ code: 'TOOL_DUPLICATE' }),
    );
    expect(registry.resolve(run)).toBe(variant);
  });

  test('T6: replacing one variant retires it alone; replacing the name retires all of them', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', contract);
    const [kept, former] = [registerVariant(registry, 'adk'), registerVariant(registry, 'runtime')];
    const { capabilities: _, ...definition } = echo('save_note');
    const successor = registerTool(registry, definition, {
      variantOf: 'save_note',
      backend: 'runtime',
      replace: true,
    });
    expect(registry.resolve(former)).toBeUndefined();
    expect(registry.canonicalFor('save_note', 'runtime')).toBe(successor);
    expect(registry.resolve(kept)).toBe(kept);
    const tool = registerTool(registry, echo('save_note'), { replace: true });
    for (const retired of [kept, successor]) expect(registry.resolve(retired)).toBeUndefined();
    expect(registry.canonicalFor('save_note', 'adk')).toBe(tool);
  });

  test.each([{ backend: 'runtime' }, { variantOf: 'save_note' }, { variantOf: 'other', backend: 'runtime' }])(
    'T7: half a variant is refused: %o',
    (options) => {
      const registry = createToolRegistry();
      declareTool(registry, 'save_note', contract);
      expect(() => registerTool(registry, echo('save_note'), options)).toThrow(
        expect.objectContaining({
          code: 'TOOL_BAD_DEFINITION',
          message: expect.stringContaining('expected both variantOf: "save_note" and a backend'),
        }),
      );
    },
  );
});

describe('T8: assembly picks the backend’s variant', () => {
  test('T8: by name and by the variant of another backend alike', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', contract);
    const [ours, theirs] = [registerVariant(registry, 'runtime'), registerVariant(registry, 'adk')];
    for (const [backend, own] of [
      ['runtime', ours],
      ['adk', theirs],
    ] as const) {
      const other = own === ours ? theirs : ours;
      for (const reference of ['save_note', own, other, registry.issueVariant(other, () => 'x')]) {
        const [assembled] = assembleTools(registry, [reference], { backend }).tools;
        expect(assembled).toEqual({ type: 'bound', name: 'save_note', definition: own, tool: own });
      }
    }
  });

  test('T8: a declared name without a variant for the backend is ambiguous, and lists the backends that have one', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', { ...contract, backends: ['langgraph', 'runtime'] });
    const theirs = registerVariant(registry, 'adk');
    for (const reference of ['save_note', theirs]) {
      expect(() => assembleTools(registry, [reference], { backend: 'runtime' })).toThrow(
        expect.objectContaining({
          name: 'AmbiguousToolError',
          backends: ['adk', 'langgraph'],
          message: expect.stringMatching(
            /^"save_note" is ambiguous.*with one: adk, langgraph\. .*or register a variant for runtime\.$/,
          ),
        }),
      );
    }
  });

  test('T8: it is ambiguous also before any backend has registered', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', { ...contract, backends: ['langgraph', 'adk'] });
    expect(() => assembleTools(registry, ['save_note'], { backend: 'runtime' })).toThrow(
      expect.objectContaining({ code: 'TOOL_AMBIGUOUS', backends: ['adk', 'langgraph'] }),
    );
    declareTool(registry, 'other_note', contract);
    expect(() => assembleTools(registry, ['other_note'], { backend: 'runtime' })).toThrow(
      'No backend has one',
    );
  });

  test('T8: the backends of a declaration that is repeated are those of all of them', () => {
    const registry = createToolRegistry();
    declareTool(registry, 'save_note', { ...contract, backends: ['langgraph'] });
    declareTool(registry, 'save_note', { ...contract, backends: ['adk', 'langgraph'] });
    declareTool(registry, 'save_note', contract);
    expect(() => registry.requireFor('save_note', 'runtime')).toThrow(
      expect.objectContaining({ backends: ['adk', 'langgraph'] }),
    );
    expect(() => declareTool(registry, 'bad name', contract)).toThrow('letters, digits');
    expect(() => declareTool(registry, 'bad', { ...contract, capabilities: [] })).toThrow(
      "'exempt' or a list",
    );
  });

  test('T8: a tool for every backend is the same for each; an unknown name is refused with near ones', () => {
    const registry = createToolRegistry();
    const tool = registerEcho(registry, 'read_note');
    registerEcho(registry, 'read_notes');
    for (const backend of ['runtime', 'adk']) {
      expect(registry.canonicalFor('read_note', backend)).toBe(tool);
    }
    expect(registry.canonicalFor('raed_note', 'adk')).toBeUndefined();
    expect(() => assembleTools(registry, ['raed_note'], { backend: 'adk' })).toThrow(
      expect.objectContaining({
        code: 'TOOL_UNKNOWN',
        message:
          'Expected the name of a registered tool, got "raed_note". Near names: read_note, read_notes.',
      }),
    );
    expect(() => assembleTools(registry, ['delete_all'], { backend: 'adk' })).toThrow(
      'got "delete_all". Register it, or pass the tool itself.',
    );
  });
});

describe('T9: the state tools', () => {
  const names = ['save_plan', 'get_plan', 'save_tasks', 'get_tasks'];

  function createState(): TaskStore {
    let plan: string | undefined;
    let tasks: readonly TaskRecord[] = [];
    return {
      savePlan: async (text) => void (plan = text),
      readPlan: async () => plan,
      saveTasks: async (all) => void (tasks = all),
      readTasks: async () => tasks,
    };
  }

  test.each([[['langgraph', 'runtime']], [['runtime', 'langgraph']]])(
    'T9: an agent gets those of its backend, imported in the order %j',
    async (order) => {
      const registry = createToolRegistry();
      const states = new Map(order.map((backend) => [backend, createState()]));
      for (const [backend, state] of states) registerStateTools(registry, { backend, state: () => state });
      for (const [backend, state] of states) {
        const assembly = assembleTools(registry, names, { backend });
        const saved = assembly.find('save_plan');
        const input = { plan: `a plan in ${backend}` };
        expect(await call(registry, saved?.type === 'bound' && saved.tool, { input })).toMatchObject({
          type: 'completed',
        });
        expect(await state.readPlan()).toBe(`a plan in ${backend}`);
      }
    },
  );

  test('T9: before a backend registers they are ambiguous and name the backends to come', () => {
    const registry = createToolRegistry();
    declareStateTools(registry);
    for (const name of names) {
      expect(() => assembleTools(registry, [name], { backend: 'own' })).toThrow(
        expect.objectContaining({ backends: ['adk', 'langgraph', 'runtime'] }),
      );
    }
  });

  test('T9: they save and read what belongs to the call, and refuse what has not its form', async () => {
    const registry = createToolRegistry();
    const state = createState();
    const [savePlan, getPlan, saveTasks, getTasks] = registerStateTools(registry, {
      backend: 'runtime',
      state: () => state,
    });
    expect(await call(registry, getPlan, { input: {} })).toEqual({
      type: 'completed',
      output: { plan: null },
    });
    expect(await call(registry, savePlan, { input: { plan: 'first a, then b' } })).toMatchObject({
      output: { saved: true },
    });
    expect(await call(registry, getPlan, { input: {} })).toMatchObject({
      output: { plan: 'first a, then b' },
    });
    const tasks = [
      { title: 'a', status: 'done' },
      { title: 'b', status: 'pending' },
    ];
    expect(await call(registry, saveTasks, { input: { tasks } })).toMatchObject({ output: { saved: 2 } });
    expect(await call(registry, getTasks, { input: {} })).toMatchObject({ output: { tasks } });
    for (const input of [{}, { tasks: 'a' }, { tasks: [{ title: 'a', status: 'open' }] }, { tasks: [{}] }]) {
      expect(await call(registry, saveTasks, { input })).toMatchObject({ type: 'invalid-input' });
    }
    expect(await call(registry, savePlan, { input: null })).toEqual({
      type: 'invalid-input',
      reason: 'input: expected plan to be a text.',
    });
    expect(await call(registry, saveTasks, { input: { tasks: [{ title: 'a', status: 'open' }] } })).toEqual({
      type: 'invalid-input',
      reason: 'input: expected status to be one of pending, in-progress, done.',
    });
    expect(await call(registry, saveTasks, { input: { tasks: 'a' } })).toEqual({
      type: 'invalid-input',
      reason: 'input: expected tasks to be a list.',
    });
  });

  test('T9: a model is told their whole form, the same for each backend', () => {
    const registry = createToolRegistry();
    const state = createState();
    const tools = registerStateTools(registry, {
      backend: 'adk',
      requires: 'taskStore',
      state: () => state,
    });
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { requires, capabilities } of tools) {
      expect({ requires, capabilities }).toEqual({ requires: 'taskStore', capabilities: 'exempt' });
    }
    const [savePlan, getPlan, saveTasks, getTasks] = tools.map(({ inputSchema }) =>
      toJsonSchema(inputSchema),
    );
    const nothing = { type: 'object', properties: {}, required: [], additionalProperties: false };
    expect(getPlan).toEqual(nothing);
    expect(getTasks).toEqual(nothing);
    expect(savePlan).toEqual({ ...nothing, properties: { plan: { type: 'string' } }, required: ['plan'] });
    const status = { type: 'string', enum: ['pending', 'in-progress', 'done'] };
    const items = {
      ...nothing,
      properties: { title: { type: 'string' }, status },
      required: ['title', 'status'],
    };
    expect(saveTasks).toEqual({
      ...nothing,
      properties: { tasks: { type: 'array', items } },
      required: ['tasks'],
    });
  });
});
