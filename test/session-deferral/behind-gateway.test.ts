import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createToolRegistry, registerTool, validateAgentGraph } from '@quartermaster/agent';
import { fromJsonSchema } from '@quartermaster/agent/engine';
import { createPermissionEngine } from '@quartermaster/agent/permissions';
import { readHost } from '@quartermaster/agent/services';
import { createSecret } from '@quartermaster/agent/settings';
import { createAgentManager } from '@quartermaster/agent/turns';
import { catalog } from '@quartermaster/catalog';
import { createLanguageModel } from '@quartermaster/providers';
import { createRuntimeBackend, readOwnerHost } from '@quartermaster/runtime';
import { openSqliteStore } from '@quartermaster/store';
import { expect, test } from 'vitest';
import { startGatewayProcess } from '../clients/gateway-process.ts';
import { scripted, startUpstream } from '../clients/upstream.ts';
import type { UpstreamRequest } from '../clients/upstream.ts';

const model = 'claude-opus-5-5';

/** One process's life of the runtime: it opens the store anew, and closes it. */
async function openRuntime(folder: string, baseUrl: string, late: string[]) {
  const store = await openSqliteStore({ folder, clock: Date });
  const registry = createToolRegistry();
  for (const name of ['read', 'found', 'other']) {
    registerTool(registry, {
      name,
      description: `The tool ${name}.`,
      inputSchema: fromJsonSchema({ type: 'object' }),
      capabilities: 'exempt',
      run() {
        if (name === 'read' && !late.includes('found')) late.push('found');
        return `${name} ran`;
      },
    });
  }
  const backend = createRuntimeBackend({
    registry,
    agents: validateAgentGraph([
      { name: 'main', prompt: `You are a tester. ${'Be careful. '.repeat(400)}`, tools: ['read'] },
    ]),
    settings: {},
    models: (id) =>
      createLanguageModel({
        provider: 'anthropic',
        id,
        apiKey: createSecret('any'),
        baseUrl: new URL(baseUrl),
        catalog,
      }),
    defaultModel: model,
    permissions: createPermissionEngine({
      rules: [],
      surroundings: {
        platform: 'posix',
        isCaseSensitive: true,
        workspace: folder,
        home: folder,
        readLink: () => undefined,
      },
      isProjectTrusted: () => true,
    }),
    store,
    services: { project: folder, fetch, codeExecutor: { host: readHost() } },
    clock: Date,
    ids: () => crypto.randomUUID(),
    host: readOwnerHost(),
    origin: 'test',
    lateTools: () => late,
  });
  const manager = createAgentManager({
    backend,
    app: 'test',
    defaultUser: 'ann',
    ids: () => crypto.randomUUID(),
  });
  return {
    say: async (session: string, text: string) => {
      const result = await manager.process({ session, text });
      expect(result).toMatchObject({ status: 'completed' });
    },
    async [Symbol.asyncDispose]() {
      await manager.close();
      await store.close();
    },
  };
}

/** That each prompt begins with all that the one before it held, as the provider renders it. */
function expectOnePrefix(requests: readonly UpstreamRequest[]): void {
  for (const [index, { renderedPrefixHashes: later }] of requests.entries()) {
    const earlier = requests[index - 1]?.renderedPrefixHashes;
    if (earlier !== undefined) expect(later.slice(0, earlier.length)).toEqual(earlier);
  }
}

test('behind our own gateway a session has one prefix for life, over late tools, restarts of both, and its record says so', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-behind-'));
  await using upstream = await startUpstream();
  const late: string[] = [];
  const gatewayOptions = { anthropicUpstream: upstream.url, store: path.join(folder, 'gateway'), port: 0 };
  {
    await using gateway = await startGatewayProcess(gatewayOptions);
    await using runtime = await openRuntime(folder, gateway.anthropicUrl, late);
    await runtime.say(
      'one',
      scripted('Go.', [{ tool: 'read', input: {} }, { tool: 'found', input: {} }, { text: 'a' }]),
    );
    late.push('other');
    await runtime.say('one', scripted('On.', [{ tool: 'other', input: {} }, { text: 'b' }]));
    expect(await gateway.stats()).toMatchObject({ tool_defer: { threads_decided: 1 } });
    await gateway.stop();
  }
  await using gateway = await startGatewayProcess(gatewayOptions);
  await using runtime = await openRuntime(folder, gateway.anthropicUrl, late);
  await runtime.say('one', scripted('And on.', [{ tool: 'found', input: {} }, { text: 'c' }]));

  // Beside the gateway's own question whether the model searches.
  const requests = upstream.requests().filter(({ raw }) => raw.includes('You are a tester.'));
  expect(requests.map(({ status }) => status)).toEqual(requests.map(() => 200));
  expect(requests).toHaveLength(7);
  expectOnePrefix(requests);
  // What a request wrote to the cache, every later one reads.
  const reads = requests.map(({ cacheRead, cacheWrite }) => [cacheRead, cacheWrite] as const);
  for (const [index, [read]] of reads.entries()) {
    const [before, written] = reads[index - 1] ?? [0, 0];
    expect(read).toBe(before + written);
  }
  expect(reads.at(-1)?.[0]).toBeGreaterThan(1_000);
  expect(await gateway.stats()).toMatchObject({ tool_defer: { flips: 0, threads_decided: 0 } });
  await rm(folder, { recursive: true });
});
