import { describe, expect, test } from 'vitest';
import type { SimulatorMode } from '@quartermaster/simulator';
import { assistant, bm25, requestOf, startSimulator, system, tool, user } from './harness.ts';
import type { Loose } from './harness.ts';

const tools = [tool('ping'), tool('pong', { defer_loading: true, description: 'p'.repeat(400) }), bm25];
const ask = requestOf({ tools, messages: [user('Search for a tool if need be, then call pong.')] });
const typesOf = (reply: Loose): string[] => reply.json.content.map((block: Loose) => block.type);

describe('bad neighbours (rule 17)', () => {
  test('faithful: the search comes before the call', async () => {
    await using running = await startSimulator();
    expect(typesOf(await running.send(ask))).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ]);
  });

  test('ignores-deferral: everything is loaded, and nothing says so', async () => {
    await using faithful = await startSimulator();
    await using running = await startSimulator({ mode: 'ignores-deferral' });
    const reply = await running.send(ask);
    expect(typesOf(reply)).toEqual(['tool_use']);
    const eager = requestOf({
      ...ask,
      tools: [tool('ping'), tool('pong', { description: 'p'.repeat(400) })],
    });
    expect(reply.json.usage.input_tokens).toBe((await faithful.send(eager)).json.usage.input_tokens);
    expect(running.last()).toMatchObject({ toolsDeferred: ['pong'] });
  });

  test('ignores-deferral: all deferred is no error, and old references do no harm', async () => {
    await using running = await startSimulator({ mode: 'ignores-deferral' });
    const body = requestOf({ tools: [tool('pong', { defer_loading: true })] });
    expect((await running.send(body)).status).toBe(200);
  });

  test('refuses-deferral: an unknown field, and only that', async () => {
    await using running = await startSimulator({ mode: 'refuses-deferral' });
    const reply = await running.send(ask);
    expect(reply.status).toBe(400);
    expect(reply.json.error.message).toBe('tools.1.custom.defer_loading: Extra inputs are not permitted');
    expect((await running.send(requestOf({ tools: [tool('ping'), tool('pong')] }))).status).toBe(200);
  });

  test('an upstream may change its mind between two requests', async () => {
    const moods: SimulatorMode[] = ['faithful', 'refuses-deferral'];
    await using running = await startSimulator({
      get mode() {
        return moods.shift() ?? 'faithful';
      },
    });
    const statuses = [await running.send(ask), await running.send(ask), await running.send(ask)];
    expect(statuses.map((reply) => reply.status)).toEqual([200, 400, 200]);
  });

  test('refuses-betas: a 400 that names them', async () => {
    await using running = await startSimulator({ mode: 'refuses-betas' });
    const reply = await running.send(ask, { 'anthropic-beta': 'advanced-tool-use-2025-11-20, martian-1' });
    expect(reply.status).toBe(400);
    expect(reply.json.error.message).toBe(
      'Unexpected value(s) `advanced-tool-use-2025-11-20`, `martian-1` for the `anthropic-beta` header.',
    );
    expect((await running.send(ask)).status).toBe(200);
  });

  test('refuses-system-role: the natural wording, on a model that has the role', async () => {
    await using running = await startSimulator({ mode: 'refuses-system-role' });
    const reply = await running.send(requestOf({ messages: [user('x'), system('y')] }));
    expect(reply.json.error.message).toBe("messages.1.role: Input should be 'user' or 'assistant'");
  });

  test('defers-everything: also what was sent in full', async () => {
    await using running = await startSimulator({ mode: 'defers-everything' });
    const callPing = requestOf({ tools, messages: [user('call ping')] });
    expect(typesOf(await running.send(callPing))).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ]);
    const eager = requestOf({ tools: [tool('ping')], messages: [user('call ping')] });
    expect(typesOf(await running.send(eager))).toEqual(['tool_use']);
    const withBeta = await running.send(eager, { 'anthropic-beta': 'advanced-tool-use-2025-11-20' });
    expect(withBeta.json.content).toEqual([{ type: 'text', text: 'no tool ping' }]);
  });

  test('drops-unknown-blocks: search blocks vanish, so the tool has to be found again', async () => {
    await using running = await startSimulator({ mode: 'drops-unknown-blocks' });
    const first = await running.send(ask);
    const result = { type: 'tool_result', tool_use_id: first.json.content[2].id, content: 'r' };
    const martian = { type: 'martian', x: 1 };
    const messages = [
      user('x'),
      assistant([martian, ...first.json.content]),
      user([result, { type: 'text', text: 'call pong' }]),
    ];
    expect(typesOf(await running.send(requestOf({ tools, messages })))).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ]);
  });
});
