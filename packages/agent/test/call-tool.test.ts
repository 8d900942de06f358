import { expect, test } from 'vitest';
import { createToolRegistry, registerTool } from '@quartermaster/agent';
import type { ToolContext } from '@quartermaster/agent';
import { callTool, fromAiSdkTool, fromJsonSchema, toJsonSchema } from '@quartermaster/agent/engine';
import type { CallOptions, CallRequest } from '@quartermaster/agent/engine';
import { z } from 'zod';
import { call, echo, registerEcho } from './tools.ts';

const request: CallRequest = {
  callId: 'call-1',
  session: { app: 'app', user: 'user', session: 'ses' },
  input: { text: 'hello' },
  signal: new AbortController().signal,
};
const allow: CallOptions['gate'] = () => Promise.resolve({ type: 'allow' });

test('P7: the gate is asked with the definition and the input in its last form, and a denial is final', async () => {
  const registry = createToolRegistry();
  const definition = echo('read_note', {
    inputSchema: z.object({ text: z.string().transform((text) => text.toUpperCase()) }),
  });
  const tool = registerTool(registry, definition);
  const asked: unknown[] = [];
  const outcome = await callTool(definition.run, request, {
    registry,
    services: {},
    gate: (one) => {
      asked.push(one);
      return Promise.resolve({ type: 'deny', reason: 'not today' });
    },
  });
  expect(outcome).toEqual({ type: 'denied', reason: 'not today' });
  expect(asked).toEqual([{ ...request, tool, input: { text: 'HELLO' } }]);
});

test.each([{}, { type: 'yes' }, { type: 'ask' }, undefined, null, 'allow'])(
  'P7: an answer that is no allow (%j) denies',
  async (answer) => {
    const registry = createToolRegistry();
    const tool = registerEcho(registry, 'read_note', { run: () => expect.unreachable() });
    const gate = () => Promise.resolve(answer as never);
    expect(await callTool(tool, request, { registry, services: {}, gate })).toMatchObject({ type: 'denied' });
  },
);

test('P7: a gate that fails denies', async () => {
  const registry = createToolRegistry();
  const gate = (): Promise<never> => Promise.reject(new Error('no policy'));
  const outcome = await callTool(registerEcho(registry, 'read_note'), request, {
    registry,
    services: {},
    gate,
  });
  expect(outcome).toEqual({ type: 'denied', reason: expect.stringContaining('no policy') });
});

test.each([undefined, 'no', Object.create(null)])(
  'P7: a gate that throws no error (%#) denies',
  async (thrown) => {
    const registry = createToolRegistry();
    const tool = registerEcho(registry, 'read_note', { run: () => expect.unreachable() });
    const gate = (): never => {
      throw thrown;
    };
    expect(await callTool(tool, request, { registry, services: {}, gate })).toEqual({
      type: 'denied',
      reason: 'The permission check failed: it threw no error',
    });
  },
);

test('P2: a tool without capabilities is denied whatever the gate says', async () => {
  const registry = createToolRegistry();
  const { capabilities: _, ...definition } = echo('read_note');
  const outcome = await callTool(registerTool(registry, definition), request, {
    registry,
    services: {},
    gate: allow,
  });
  expect(outcome).toEqual({ type: 'denied', reason: expect.stringContaining('declares no capabilities') });
});

test('an input that the schema refuses is told by path, without its values', async () => {
  const registry = createToolRegistry();
  const tool = registerEcho(registry, 'read_note', { run: () => expect.unreachable() });
  const outcome = await call(registry, tool, { input: { text: 4711 } });
  expect(outcome).toEqual({ type: 'invalid-input', reason: expect.stringMatching(/^text: /) });
  expect(JSON.stringify(outcome)).not.toContain('4711');
});

test('every problem of an input is told, each by its whole path', async () => {
  const registry = createToolRegistry();
  const { inputSchema } = echo('read_note');
  const issues = [{ message: 'no text', path: [{ key: 'notes' }, 0, 'text'] }, { message: 'too much' }];
  const validate = () => ({ issues });
  const tool = registerEcho(registry, 'read_note', {
    inputSchema: { '~standard': { ...inputSchema['~standard'], validate } },
  });
  expect(await call(registry, tool)).toEqual({
    type: 'invalid-input',
    reason: 'notes.0.text: no text; input: too much',
  });
});

test('T2: a denial says why an object is no tool, or no longer one', async () => {
  const registry = createToolRegistry();
  const reason = expect.stringContaining('never registered, was registered elsewhere or was replaced');
  expect(await call(registry, 'read_note')).toEqual({ type: 'denied', reason });
  const tool = registerEcho(registry, 'read_note');
  const gate: CallOptions['gate'] = () => {
    registerEcho(registry, 'read_note_2');
    registerTool(registry, echo('read_note'), { replace: true });
    return allow(expect.anything());
  };
  expect(await callTool(tool, request, { registry, services: {}, gate })).toEqual({ type: 'denied', reason });
});

test('a tool that throws has failed, and its error is kept', async () => {
  const registry = createToolRegistry();
  const error = new Error('no such note');
  const tool = registerEcho(registry, 'read_note', { run: () => Promise.reject(error) });
  expect(await call(registry, tool)).toEqual({ type: 'failed', error });
});

test('a schema that throws has failed, and the tool is not run', async () => {
  const registry = createToolRegistry();
  const error = new Error('no schema today');
  const inputSchema = z.object({
    text: z.string().transform((): string => {
      throw error;
    }),
  });
  const tool = registerEcho(registry, 'read_note', { inputSchema, run: () => expect.unreachable() });
  expect(await call(registry, tool)).toEqual({ type: 'failed', error });
});

test('S1: a tool gets the services it requires, and no other', async () => {
  const registry = createToolRegistry();
  const services = { memory: { name: 'memory' }, taskStore: { name: 'tasks' } } as never;
  const asks = (key: 'memory' | 'taskStore' | 'codeExecutor') =>
    registerEcho(registry, `asks_${key}`, {
      requires: ['memory', 'codeExecutor'],
      run: (_, context) => context.service(key),
    });
  expect(await call(registry, asks('memory'), { services })).toMatchObject({ output: { name: 'memory' } });
  expect(await call(registry, asks('taskStore'), { services })).toMatchObject({
    type: 'failed',
    error: { code: 'SERVICE_NOT_REQUIRED', message: expect.stringContaining('in its requires') },
  });
  expect(await call(registry, asks('codeExecutor'), { services })).toMatchObject({
    error: { code: 'SERVICE_NOT_REQUIRED', message: expect.stringContaining('to be built') },
  });
});

test('S1: userKnowledgeBase comes with knowledgeBase alone, and brings nothing else', async () => {
  const registry = createToolRegistry();
  const all = { knowledgeBase: {}, userKnowledgeBase: {}, memory: {} } as never;
  for (const [requires, key] of [
    ['memory', 'userKnowledgeBase'],
    ['knowledgeBase', 'memory'],
  ] as const) {
    const run = (_: unknown, context: ToolContext) => context.service(key);
    const other = registerEcho(registry, `asks_${key}`, { requires, run });
    expect(await call(registry, other, { services: all })).toMatchObject({
      error: { code: 'SERVICE_NOT_REQUIRED' },
    });
  }
  const services = { userKnowledgeBase: { name: 'of the user' } } as never;
  const tool = registerEcho(registry, 'search', {
    requires: 'knowledgeBase',
    run: (_, context) => context.service('userKnowledgeBase'),
  });
  expect(await call(registry, tool, { services })).toMatchObject({ output: { name: 'of the user' } });
});

test('a tool of the AI SDK is registered with its schema and gets the call', async () => {
  const registry = createToolRegistry();
  const given: unknown[] = [];
  const aiTool = {
    description: 'Tells the weather.',
    inputSchema: z.object({ city: z.string() }),
    execute(this: unknown, { city }: { city: string }, options: { toolCallId: string }) {
      given.push(this, options);
      return `${city} ${options.toolCallId}`;
    },
  };
  const tool = registerTool(registry, fromAiSdkTool(aiTool, { name: 'weather', capabilities: 'exempt' }));
  expect(await call(registry, tool, { input: { city: 'Oslo' } })).toEqual({
    type: 'completed',
    output: 'Oslo call-1',
  });
  expect(tool.description).toBe('Tells the weather.');
  expect(given).toEqual([
    aiTool,
    { toolCallId: 'call-1', messages: [], abortSignal: expect.any(AbortSignal) },
  ]);
  expect(await call(registry, tool, { input: {} })).toMatchObject({ type: 'invalid-input' });
  expect(toJsonSchema(tool.inputSchema)).toMatchObject({ type: 'object', required: ['city'] });
  expect(registry.resolve(aiTool)).toBeUndefined();
});

test('a schema is asked for JSON Schema of the draft that providers take', () => {
  const { inputSchema } = echo('read_note');
  const input = (options: unknown) => ({ options });
  const asked = { '~standard': { ...inputSchema['~standard'], jsonSchema: { input, output: input } } };
  expect(toJsonSchema(asked)).toEqual({ options: { target: 'draft-2020-12' } });
});

test('a tool of the AI SDK that gives results bit by bit has given the last of them', async () => {
  const registry = createToolRegistry();
  const execute = async function* () {
    yield 'cloudy';
    yield 'sunny';
  };
  const aiTool = { description: 'Tells the weather.', inputSchema: z.object({}), execute };
  const tool = registerTool(registry, fromAiSdkTool(aiTool, { name: 'weather', capabilities: 'exempt' }));
  expect(await call(registry, tool, { input: {} })).toEqual({ type: 'completed', output: 'sunny' });
});

test('a tool of the AI SDK may have a schema of its jsonSchema(), checked or not', async () => {
  const registry = createToolRegistry();
  const jsonSchema = { type: 'object', properties: { city: { type: 'string' } } };
  const validate = (value: unknown) =>
    typeof value === 'object' && value !== null && 'city' in value
      ? { success: true as const, value }
      : { success: false as const, error: new Error('city is missing') };
  const define = (name: string, inputSchema: object) =>
    registerTool(
      registry,
      fromAiSdkTool(
        { description: 'Tells the weather.', inputSchema, execute: () => 'sunny' },
        { name, capabilities: 'exempt' },
      ),
    );
  const [checked, unchecked] = [
    define('checked', { jsonSchema, validate }),
    define('unchecked', { jsonSchema }),
  ];
  expect(toJsonSchema(checked.inputSchema)).toEqual(jsonSchema);
  expect(await call(registry, checked, { input: { city: 'Oslo' } })).toMatchObject({ output: 'sunny' });
  expect(await call(registry, checked, { input: {} })).toEqual({
    type: 'invalid-input',
    reason: 'input: city is missing',
  });
  expect(await call(registry, unchecked, { input: {} })).toMatchObject({ output: 'sunny' });
});

test('a tool of the AI SDK may have a schema that is a function', () => {
  const schema = Object.assign(() => undefined, fromJsonSchema({ type: 'object' }));
  const { inputSchema } = fromAiSdkTool({ inputSchema: schema, execute: () => 1 }, { name: 'weather' });
  expect(inputSchema).toBe(schema);
});

test.each<[string, Parameters<typeof fromAiSdkTool>[0], string]>([
  ['without execute', { inputSchema: fromJsonSchema({ type: 'object' }) }, '"weather": expected an execute'],
  ['without a schema', { execute: () => 1 }, '"weather": expected an inputSchema'],
  [
    'whose schema holds nothing',
    { inputSchema: { jsonSchema: null }, execute: () => 1 },
    'expected an inputSchema',
  ],
  ['whose schema is nothing', { inputSchema: null, execute: () => 1 }, 'expected an inputSchema'],
  [
    'whose schema holds none',
    { inputSchema: { jsonSchema: 'x' }, execute: () => 1 },
    'expected an inputSchema',
  ],
])('a tool of the AI SDK %s is refused', (_, tool, expected) => {
  expect(() => fromAiSdkTool(tool, { name: 'weather' })).toThrow(
    expect.objectContaining({ code: 'TOOL_BAD_DEFINITION', message: expect.stringContaining(expected) }),
  );
});

test('a tool of the AI SDK without a description is no tool of a registry', () => {
  const definition = fromAiSdkTool(
    { inputSchema: z.object({}), execute: () => 1 },
    { name: 'weather', capabilities: 'exempt' },
  );
  expect(() => registerTool(createToolRegistry(), definition)).toThrow('a description');
});

test('a schema of JSON Schema says what it is, and takes whatever a tool checks by itself', async () => {
  const jsonSchema = { type: 'object' };
  const { '~standard': standard } = fromJsonSchema(jsonSchema);
  expect(standard).toMatchObject({ version: 1, vendor: 'quartermaster' });
  expect(standard.jsonSchema.output({ target: 'draft-2020-12' })).toEqual(jsonSchema);
  expect(await standard.validate(7)).toEqual({ value: 7 });
  const refusing = fromJsonSchema(jsonSchema, () => {
    // What another library throws need not be an error.
    throw 'not today';
  });
  expect(await refusing['~standard'].validate(7)).toEqual({ issues: [{ message: 'not today' }] });
});
