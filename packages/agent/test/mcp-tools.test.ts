import { expect, test } from 'vitest';
import { createToolRegistry } from '@quartermaster/agent';
import type { ToolRegistry } from '@quartermaster/agent';
import { createMcpTools, createQualifiedNames, toJsonSchema } from '@quartermaster/agent/engine';
import type { McpTool } from '@quartermaster/agent/engine';
import { call, registerEcho } from './tools.ts';

const send: McpTool = {
  name: 'send',
  description: 'Sends a mail.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' }, body: { type: 'string' } } },
};

function createServer(registry: ToolRegistry, name: string, names = createQualifiedNames()) {
  return createMcpTools(registry, names, {
    name,
    call: (tool, input) => Promise.resolve({ server: name, tool, input }),
  });
}

test('T10: two servers with a tool of one name are called each by its own, under the raw name', async () => {
  const registry = createToolRegistry();
  const names = createQualifiedNames();
  const [mail] = createServer(registry, 'mail', names).update([send]);
  const [post] = createServer(registry, 'post', names).update([send]);
  expect([mail?.name, post?.name]).toEqual(['mcp__mail__send', 'mcp__post__send']);
  for (const [server, tool] of [
    ['mail', mail],
    ['post', post],
  ] as const) {
    expect(registry.resolve(tool)).toBe(tool);
    expect(await call(registry, tool, { input: { to: 'x' } })).toEqual({
      type: 'completed',
      output: { server, tool: 'send', input: { to: 'x' } },
    });
  }
});

test('T3: a tool of a server is gated by the server and its raw name, and keeps its whole schema', () => {
  const [tool] = createServer(createToolRegistry(), 'mail').update([
    { name: 'send', inputSchema: { ...send.inputSchema, $defs: { Q: { enum: ['a', null] } } } },
  ]);
  expect(tool).toMatchObject({
    description: 'send of mail.',
    capabilities: [{ capability: 'mcp.call', target: { constant: 'mail/send' } }],
  });
  expect(tool && toJsonSchema(tool.inputSchema)).toMatchObject({ $defs: { Q: { enum: ['a', null] } } });
});

test('P6: a tool that is listed again as it was, or with its keys in another order, stays the same (case 99)', () => {
  const registry = createToolRegistry();
  const server = createServer(registry, 'mail');
  const [first] = server.update([send]);
  const { type, properties } = send.inputSchema;
  expect(server.update([{ ...send, inputSchema: { properties, type } }])).toEqual([first]);
  expect(registry.resolve(first)).toBe(first);
});

test.each([undefined, '', ' '])('T10: a tool described by %j is described by its origin', (description) => {
  const [tool] = createServer(createToolRegistry(), 'mail').update([
    { name: 'send', inputSchema: {}, ...(description !== undefined && { description }) },
  ]);
  expect(tool?.description).toBe('send of mail.');
});

test('P6: keys of inner schemas may change their order as well, members of lists may not (case 99)', () => {
  const server = createServer(createToolRegistry(), 'mail');
  const withSchema = (inputSchema: object) =>
    server.update([{ ...send, inputSchema: { ...inputSchema } }])[0];
  const first = withSchema({ properties: { a: { enum: [1, null], type: 'x' }, b: {} } });
  expect(withSchema({ properties: { b: {}, a: { type: 'x', enum: [1, null] } } })).toBe(first);
  expect(withSchema({ properties: { a: { enum: [null, 1], type: 'x' }, b: {} } })).not.toBe(first);
});

test.each([
  ['text', { ...send, description: 'Sends a mail to everyone.' }],
  ['schema', { ...send, inputSchema: { ...send.inputSchema, required: ['bcc'] } }],
])('P6: a tool whose %s changed is another one, and the former is retired (case 99)', async (_, changed) => {
  const registry = createToolRegistry();
  const server = createServer(registry, 'mail');
  const [first] = server.update([send]);
  const [second] = server.update([changed]);
  expect(second).not.toBe(first);
  expect(registry.resolve(first)).toBeUndefined();
  expect(registry.resolve(second)).toBe(second);
  expect(await call(registry, first)).toMatchObject({ type: 'denied' });
});

test('T6: a server does not take the name of a tool that the application registered', () => {
  const registry = createToolRegistry();
  const own = registerEcho(registry, 'mcp__mail__send');
  expect(() => createServer(registry, 'mail').update([send])).toThrow(
    expect.objectContaining({ code: 'TOOL_DUPLICATE' }),
  );
  expect(registry.resolve(own)).toBe(own);
});

test('T10: a changed list of what the server gave does not change the tool', () => {
  const inputSchema = structuredClone(send.inputSchema) as { properties: object };
  const [tool] = createServer(createToolRegistry(), 'mail').update([{ ...send, inputSchema }]);
  inputSchema.properties = {};
  expect(tool && toJsonSchema(tool.inputSchema)).toEqual(send.inputSchema);
});
