import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createToolRegistry, validateAgentGraph } from '@quartermaster/agent';
import { createPermissionEngine } from '@quartermaster/agent/permissions';
import { readHost } from '@quartermaster/agent/services';
import { createTurnScope } from '@quartermaster/agent/turns';
import type { RunningBackend } from '@quartermaster/agent/turns';
import type { LanguageModel } from '@quartermaster/providers';
import { createRuntimeBackend, readOwnerHost } from '@quartermaster/runtime';
import { openSqliteStore } from '@quartermaster/store';
import type { Store } from '@quartermaster/store';
import { type BenchResult, round } from './figures.ts';

const sessionCount = 1_000;
const warmUpSessions = 50;

/** How much memory 1,000 sessions cost that have had a turn each and are idle, in MB of this process's heap. */
export async function benchIdleSessions(): Promise<BenchResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-bench-'));
  const store = await openSqliteStore({ folder, clock: Date });
  const runtime = await startRuntime(store);
  for (let index = 0; index < warmUpSessions; index += 1) await playTurn(runtime, `warm-${index}`);
  const beforeBytes = usedBytes();
  for (let index = 0; index < sessionCount; index += 1) await playTurn(runtime, `idle-${index}`);
  const idleMb = round((usedBytes() - beforeBytes) / 1_000_000);
  await runtime.close();
  await store.close();
  await rm(folder, { recursive: true });
  return {
    figures: { sessions: sessionCount, idleMb },
    lines: [`1,000 idle sessions: ${idleMb} MB of heap`],
  };
}

async function startRuntime(store: Store): Promise<RunningBackend> {
  const backend = createRuntimeBackend({
    registry: createToolRegistry(),
    agents: validateAgentGraph([{ name: 'main', prompt: 'You say ok.' }]),
    settings: {},
    models: () => sayingOk,
    defaultModel: 'ok',
    permissions: createPermissionEngine({ rules: [], surroundings, isProjectTrusted: () => false }),
    store,
    services: { project: 'bench', fetch, codeExecutor: { host: readHost() } },
    clock: Date,
    ids: () => crypto.randomUUID(),
    host: readOwnerHost(),
    origin: 'bench',
  });
  const { signal } = new AbortController();
  return await backend.start({ app: 'bench', defaultUser: 'ann', scope: createTurnScope(), signal });
}

const surroundings = {
  platform: 'posix',
  isCaseSensitive: true,
  workspace: '/',
  home: '/',
  readLink: () => undefined,
} as const;

async function playTurn(runtime: RunningBackend, session: string): Promise<void> {
  const events = runtime.runTurn({
    turn: session,
    session: { app: 'bench', user: 'ann', session },
    text: 'A few words, as a person would say them. '.repeat(20),
    signal: new AbortController().signal,
    takeSteering: () => [],
  });
  for await (const event of events) {
    if (event.type === 'turn-end' && event.result.status !== 'completed') {
      throw new Error(`expected each turn to complete; one ${event.result.status}.`);
    }
  }
}

/** No provider: what is measured is what stays here. */
const sayingOk: LanguageModel = {
  provider: 'bench',
  id: 'ok',
  api: 'anthropic-messages',
  contextTokens: undefined,
  lateTools: 'tail',
  searchesTools: true,
  async *stream() {
    yield { type: 'text-delta', text: 'ok' };
    yield {
      type: 'finished',
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'ok' }],
        model: { provider: 'bench', id: 'ok' },
        stopReason: 'end',
      },
      usage: {
        inputTokens: 1,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 1,
        costUsd: 0,
      },
    };
  },
};

/** After what is no longer reachable was collected. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('expected a garbage collector to call.');
  for (let round = 0; round < 3; round += 1) collect();
  return process.memoryUsage().heapUsed;
}
