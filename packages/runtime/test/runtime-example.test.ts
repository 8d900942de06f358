import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRegistry, registerTool, validateAgentGraph } from '@quartermaster/agent';
import { createPermissionEngine } from '@quartermaster/agent/permissions';
import { readHost } from '@quartermaster/agent/services';
import { createSecret } from '@quartermaster/agent/settings';
import { createAgentManager } from '@quartermaster/agent/turns';
import { catalog } from '@quartermaster/catalog';
import { createAnthropicModel } from '@quartermaster/providers';
import { createRuntimeBackend, readOwnerHost } from '@quartermaster/runtime';
import { openSqliteStore } from '@quartermaster/store';
import { createStage, script } from './harness.ts';

test('the example of docs/runtime.md: a manager over this engine, a permission that is asked for, and a second run that goes on', async () => {
  await using stage = await createStage();
  const folder = `${stage.folder}/example`;
  const asked: string[] = [];

  async function run(text: string) {
    const store = await openSqliteStore({ folder, clock: Date });
    const registry = createToolRegistry();
    const readNote = registerTool(registry, {
      name: 'read_note',
      description: 'Read a note by its title.',
      inputSchema: z.object({ title: z.string() }),
      capabilities: [{ capability: 'notes.read', target: { argument: 'title' } }],
      run: ({ title }) => `${title}: buy milk`,
    });
    const agents = validateAgentGraph([
      { name: 'main', prompt: 'You answer from notes.', tools: [readNote] },
    ]);
    const backend = createRuntimeBackend({
      registry,
      agents,
      settings: {},
      models: (id) =>
        createAnthropicModel({
          provider: 'anthropic',
          id,
          apiKey: createSecret('test-key'),
          baseUrl: new URL(stage.url),
          catalog,
        }),
      defaultModel: 'claude-opus-5-5',
      permissions: createPermissionEngine({
        rules: [],
        surroundings: {
          platform: 'posix',
          isCaseSensitive: true,
          workspace: folder,
          home: folder,
          readLink: () => undefined,
        },
        isProjectTrusted: () => false,
      }),
      store,
      services: { project: 'notes', fetch, codeExecutor: { host: readHost() } },
      clock: Date,
      ids: () => randomUUID(),
      host: readOwnerHost(),
      origin: 'run',
    });
    const manager = createAgentManager({
      backend,
      app: 'notes',
      defaultUser: 'ann',
      ids: () => randomUUID(),
    });
    const ask = async ({ tool }: { readonly tool: string }) => (asked.push(tool), 'approve' as const);
    const result = await manager.process({ session: 'first', text }, { ask });
    const sessions = await manager.listSessions();
    await manager.cleanup();
    await store.close();
    return { result, sessions };
  }

  const first = await run(
    `On Monday? ${script({ tool: 'read_note', input: { title: 'Monday' } }, { text: 'Milk.' })}`,
  );
  expect(first.result).toMatchObject({ status: 'completed', text: 'Milk.' });
  expect(asked).toEqual(['read_note']);
  const second = await run('And on Tuesday?');
  expect(second.result.status).toBe('completed');
  expect(second.sessions).toMatchObject([{ session: 'first', title: expect.stringMatching(/^On Monday\?/) }]);
  expect(JSON.stringify(stage.bodies.at(-1).messages)).toContain('Monday: buy milk');
});
