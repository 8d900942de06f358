import { describe, expect, test } from 'vitest';
import { createToolRegistry, registerTool } from '@quartermaster/agent';
import { assembleTools } from '@quartermaster/agent/engine';
import {
  KNOWN_SERVICE_KEYS,
  bindServices,
  createServices,
  requiredServices,
} from '@quartermaster/agent/services';
import type { ServiceKey, Services } from '@quartermaster/agent/services';
import { openTemporaryStore } from './stores.ts';
import { call, echo, registerEcho } from './tools.ts';

describe('S1: a tool declares what it needs', () => {
  test('S1: one key, several or none', () => {
    const registry = createToolRegistry();
    expect(registerEcho(registry, 'one', { requires: 'memory' }).requires).toBe('memory');
    expect(registerEcho(registry, 'two', { requires: ['memory', 'taskStore'] }).requires).toEqual([
      'memory',
      'taskStore',
    ]);
    expect(registerEcho(registry, 'none').requires).toBeUndefined();
  });

  test('S1: an unknown key is refused at registration, and the known ones are listed', () => {
    const registry = createToolRegistry();
    const unknown = 'vectorStore' as ServiceKey;
    for (const requires of [unknown, ['memory', unknown] as const]) {
      expect(() => registerEcho(registry, 'search', { requires })).toThrow(
        expect.objectContaining({
          code: 'SERVICE_UNKNOWN',
          message: expect.stringMatching(/knowledgeBase, memory, taskStore, codeExecutor.*"vectorStore"/),
        }),
      );
    }
    expect(registry.canonicalFor('search', 'runtime')).toBeUndefined();
  });

  test('S1: userKnowledgeBase is refused with the key that brings it', () => {
    const requires = 'userKnowledgeBase' as ServiceKey;
    expect(() => registerEcho(createToolRegistry(), 'search', { requires })).toThrow(
      expect.objectContaining({
        code: 'SERVICE_UNKNOWN',
        message:
          'Tool "search": userKnowledgeBase can\'t be required by itself; it is made together with knowledgeBase. ' +
          "Say requires: 'knowledgeBase', which gives both.",
      }),
    );
  });
});

describe('S2: which services a run builds', () => {
  test('S2: those of its tools, each once, in one order', () => {
    const registry = createToolRegistry();
    const tools = [
      registerEcho(registry, 'a', { requires: ['taskStore', 'memory'] }),
      registerEcho(registry, 'b', { requires: 'memory' }),
      registerEcho(registry, 'c'),
    ];
    registerEcho(registry, 'unused', { requires: 'codeExecutor' });
    expect(requiredServices(registry, tools)).toEqual(['memory', 'taskStore']);
    expect(requiredServices(registry, [])).toEqual([]);
  });

  test('S2: a look-alike declares nothing, whatever it is called and says', () => {
    const registry = createToolRegistry();
    const definition = echo('search', { requires: 'knowledgeBase' });
    const tool = registerTool(registry, definition);
    const search = { search: () => 'found' }.search;
    const candidates = [search, { ...tool }, new Proxy(tool, {}), { name: 'search', requires: 'memory' }];
    expect(requiredServices(registry, candidates)).toEqual([]);
    expect(requiredServices(createToolRegistry(), [tool])).toEqual([]);
  });

  test('S2: a callable registered under another name still declares its own', () => {
    const registry = createToolRegistry();
    const searchNotes = (): string => 'found';
    registerTool(registry, echo('look_up', { run: searchNotes, requires: 'knowledgeBase' }));
    expect(searchNotes.name).toBe('searchNotes');
    expect(requiredServices(registry, [searchNotes])).toEqual(['knowledgeBase']);
    const renamed = registry.rename(registry.resolve(searchNotes) ?? expect.unreachable(), 'find');
    expect(requiredServices(registry, [renamed])).toEqual(['knowledgeBase']);
  });

  test('S2: a retired tool needs nothing any more', () => {
    const registry = createToolRegistry();
    const tool = registerEcho(registry, 'search', { requires: 'knowledgeBase' });
    registerTool(registry, echo('search'), { replace: true });
    expect(requiredServices(registry, [tool])).toEqual([]);
  });

  test('S2: only what is required is built, and knowledgeBase brings that of the user', async () => {
    await using temporary = await openTemporaryStore();
    const options = temporary.options();
    expect(createServices([], options)).toEqual({});
    for (const key of KNOWN_SERVICE_KEYS) {
      const expected = key === 'knowledgeBase' ? [key, 'userKnowledgeBase'] : [key];
      expect(Object.keys(createServices([key], options))).toEqual(expected);
    }
    expect(Object.keys(createServices(KNOWN_SERVICE_KEYS, options))).toHaveLength(5);
  });
});

describe('S3: no table from names to services', () => {
  test.each(KNOWN_SERVICE_KEYS)(
    'S3: an application’s own tool, whatever its name, gets %s by asking',
    async (key) => {
      await using temporary = await openTemporaryStore();
      const registry = createToolRegistry();
      const tool = registerEcho(registry, `own_${key}`, {
        requires: key,
        run: (_, context) => Object.keys(context.service(key)).length > 0,
      });
      const services = createServices(requiredServices(registry, [tool]), temporary.options());
      expect(await call(registry, tool, { services })).toEqual({ type: 'completed', output: true });
    },
  );

  test('S3: the kinds can not be added to', () => {
    expect(() => Reflect.apply(Array.prototype.push, KNOWN_SERVICE_KEYS, ['vectorStore'])).toThrow(TypeError);
  });

  test('S3: a service that is no kind of the framework does not reach a tool', async () => {
    const registry = createToolRegistry();
    const services = { vectorStore: {} } as Partial<Services>;
    const key = 'vectorStore' as keyof Services;
    const tool = registerEcho(registry, 'search', { run: (_, context) => context.service(key) });
    expect(await call(registry, tool, { services })).toMatchObject({
      type: 'failed',
      error: { code: 'SERVICE_NOT_REQUIRED' },
    });
  });
});

test('T3: a tool bound to the services of a run is the same definition and carries them with it', async () => {
  const registry = createToolRegistry();
  const tool = registerEcho(registry, 'recall', {
    requires: 'memory',
    run: (_, context) => context.service('memory'),
  });
  const memory = { of: 'this run' } as never;
  const bound = bindServices(registry, tool, { memory });
  expect(registry.resolve(bound)).toBe(tool);
  expect(await call(registry, bound)).toEqual({ type: 'completed', output: memory });
  expect(assembleTools(registry, [bound], { backend: 'adk' }).find('recall')).toMatchObject({ tool: bound });
  registerTool(registry, echo('recall'), { replace: true });
  expect(await call(registry, bound)).toMatchObject({ type: 'denied' });
});
