import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createToolRegistry, registerTool, validateAgentGraph } from '@quartermaster/agent';
import type { AgentConfig, SessionRef, Tool, ToolDefinition, ToolRegistry } from '@quartermaster/agent';
import { fromJsonSchema } from '@quartermaster/agent/engine';
import type { Message } from '@quartermaster/agent/messages';
import { createPermissionEngine } from '@quartermaster/agent/permissions';
import type { PermissionRule } from '@quartermaster/agent/permissions';
import { readHost } from '@quartermaster/agent/services';
import { createSecret } from '@quartermaster/agent/settings';
import { createTurnScope } from '@quartermaster/agent/turns';
import type { RunningBackend, TurnEvent, TurnRequest, TurnResult } from '@quartermaster/agent/turns';
import { catalog as allModels, createCatalog } from '@quartermaster/catalog';
import type { Catalog } from '@quartermaster/catalog';
import { createAnthropicModel } from '@quartermaster/providers';
import type { LanguageModel } from '@quartermaster/providers';
import { createRuntimeBackend, createSessions, formatOwner, readOwnerHost } from '@quartermaster/runtime';
import type { RuntimeBackend, RuntimeBackendOptions, Sessions } from '@quartermaster/runtime';
import { createSimulator } from '@quartermaster/simulator';
import type { Simulator } from '@quartermaster/simulator';
import { openSqliteStore } from '@quartermaster/store';
import type { Store } from '@quartermaster/store';

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of requests, asserted on member by member
export type Loose = any;

/** A simulator on a socket, a store in a folder, and runtimes between them. */
export interface Stage extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly url: string;
  /** What came to the simulator, parsed, oldest first. */
  readonly bodies: Loose[];
  readonly folder: string;
  readonly store: Store;
  readonly sessions: Sessions;
  /** A model behind the vendor's own SDK. */
  model(id?: string): LanguageModel;
  /** A runtime with these tools and agents; closed with the stage. */
  start(options?: StartOptions): Promise<Started>;
  /** Closes the store and opens it again, as a restart does. */
  reopen(): Promise<void>;
}

export interface StageOptions {
  /** Of all models; as in the catalog by default. */
  readonly contextTokens?: number;
}

function catalogWith(contextTokens: number | undefined): Catalog {
  if (contextTokens === undefined) return allModels;
  return createCatalog(
    allModels.models.map((model) => ({ ...model, capabilities: { ...model.capabilities, contextTokens } })),
  );
}

export interface StartOptions extends Partial<
  Pick<RuntimeBackendOptions, 'limits' | 'models' | 'parameters' | 'host' | 'lateTools'>
> {
  readonly tools?: readonly ToolDefinition[];
  /** Default: one, `main`, with all tools. */
  readonly agents?: readonly AgentConfig[];
  readonly rules?: readonly PermissionRule[];
}

export interface Started extends RunningBackend {
  readonly backend: RuntimeBackend;
  readonly registry: ToolRegistry;
  /** Plays one turn to its end. */
  play(
    text: string,
    changes?: Partial<Omit<TurnRequest, 'session'>> & { readonly session?: string },
  ): Promise<Played>;
  /** The events of one turn as they come. */
  events(
    text: string,
    changes?: Partial<Omit<TurnRequest, 'session'>> & { readonly session?: string },
  ): AsyncIterable<TurnEvent>;
}

export interface Played {
  readonly events: readonly TurnEvent[];
  readonly result: TurnResult;
}

export const appName = 'app';
export const userName = 'ann';
export const modelId = 'claude-opus-5-5';

export function keyOf(session = 'ses'): SessionRef {
  return { app: appName, user: userName, session };
}

export async function createStage({ contextTokens }: StageOptions = {}): Promise<Stage> {
  const catalog = catalogWith(contextTokens);
  const bodies: Loose[] = [];
  const simulator = createSimulator({
    catalog,
    clock: Date,
    countTokens: (text) => Math.ceil(Buffer.byteLength(text) / 4),
    binding: true,
    onRequest(_, body) {
      if (body.length > 0) bodies.push(JSON.parse(body.toString('utf8')));
    },
  });
  const server = createServer(simulator.listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-runtime-'));
  let store = await openSqliteStore({ folder, clock: Date });
  const running: RunningBackend[] = [];
  let turns = 0;

  const stage: Stage = {
    simulator,
    url,
    bodies,
    folder,
    get store() {
      return store;
    },
    get sessions() {
      return createSessions({ ...holdParts, store: store.sessions });
    },
    model: (id = modelId) => createModel(url, id, catalog),
    async start({ tools = [], agents, rules = allowAll, ...changes } = {}) {
      const registry = createToolRegistry();
      const issued = tools.map((definition) => registerTool(registry, definition));
      const graph = validateAgentGraph(agents ?? [agentOf('main', issued)]);
      const backend = createRuntimeBackend({
        ...runtimeParts(store),
        registry,
        agents: graph,
        models: (id) => stage.model(id),
        permissions: createPermissionEngine({ rules, surroundings, isProjectTrusted: () => true }),
        ...changes,
      });
      const runtime = await backend.start({
        app: appName,
        defaultUser: userName,
        scope: createTurnScope(),
        signal: new AbortController().signal,
      });
      running.push(runtime);
      const events: Started['events'] = (text, { session, ...request } = {}) =>
        runtime.runTurn({
          turn: `turn-${(turns += 1)}`,
          session: keyOf(session),
          text,
          signal: new AbortController().signal,
          takeSteering: () => [],
          ...request,
        });
      return { ...runtime, backend, registry, events, play: async (...args) => collect(events(...args)) };
    },
    async reopen() {
      await Promise.all(running.splice(0).map((runtime) => runtime.close()));
      await store.close();
      store = await openSqliteStore({ folder, clock: Date });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((runtime) => runtime.close()));
      await store.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
  return stage;
}

export function createModel(url: string, id = modelId, catalog = allModels): LanguageModel {
  return createAnthropicModel({
    provider: 'anthropic',
    id,
    apiKey: createSecret('test-key'),
    baseUrl: new URL(url),
    catalog,
    terms: { maxRetries: 0 },
  });
}

/** All but the parts that a test is about. */
export function runtimeParts(store: Store) {
  return {
    settings: {},
    defaultModel: modelId,
    store,
    services: {
      project: 'alpha',
      fetch: () => Promise.reject(new Error('no network in this test')),
      codeExecutor: { host: readHost() },
    },
    clock: Date,
    ids: () => crypto.randomUUID(),
    host: readOwnerHost(),
    origin: 'test',
  } as const;
}

const holdParts = {
  clock: Date,
  ids: () => crypto.randomUUID(),
  host: readOwnerHost(),
  owner: formatOwner(readOwnerHost(), 'test'),
  leaseMs: 30_000,
} as const;

export const allowAll: readonly PermissionRule[] = [
  { answer: 'allow', capability: '*', target: '*', source: 'user' },
];

export const surroundings = {
  platform: 'posix',
  isCaseSensitive: true,
  workspace: '/work/space',
  home: '/home/ann',
  readLink: () => undefined,
} as const;

export function agentOf(
  name: string,
  tools: readonly Tool[] = [],
  changes: Partial<AgentConfig> = {},
): AgentConfig {
  return { name, prompt: `You are ${name}.`, tools, ...changes };
}

export async function collect(events: AsyncIterable<TurnEvent>): Promise<Played> {
  const collected: TurnEvent[] = [];
  for await (const event of events) collected.push(event);
  const last = collected.at(-1);
  if (last?.type !== 'turn-end') throw new Error('the turn ended without turn-end');
  return { events: collected, result: last.result };
}

/** A prompt that scripts the simulator's replies to it; `before` stands in front of the script. */
export function script(...steps: readonly unknown[]): string {
  return `@@${JSON.stringify(steps)}@@`;
}

/** A tool that takes any object. */
export function toolOf(
  name: string,
  run: ToolDefinition['run'] = () => `${name} ran`,
  changes: Partial<ToolDefinition> = {},
): ToolDefinition {
  return {
    name,
    description: `The tool ${name}.`,
    inputSchema: fromJsonSchema({ type: 'object' }),
    capabilities: 'exempt',
    run,
    ...changes,
  };
}

/** The types of events, the deltas of one answer as one. */
export function typesOf(events: readonly TurnEvent[]): readonly string[] {
  return events
    .map(({ type }) => type)
    .filter((type, index, all) => !type.endsWith('-delta') || all[index - 1] !== type);
}

/** Each message in one line. */
export function outline(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === 'tool')
      return `tool ${message.results.map(({ callId, outcome }) => `${callId}:${outcome}`).join(' ')}`;
    const parts = message.content.map((part) => {
      if (part.type === 'tool-call') return `${part.name}(${part.callId})`;
      return part.type === 'text' ? JSON.stringify(part.text.replace(/@@.*@@/s, '@@')) : part.type;
    });
    return `${message.role} ${parts.join(' ')}`;
  });
}

export function eventsOf<Type extends TurnEvent['type']>(
  events: readonly TurnEvent[],
  type: Type,
): readonly Extract<TurnEvent, { readonly type: Type }>[] {
  return events.filter((event): event is Extract<TurnEvent, { readonly type: Type }> => event.type === type);
}
