import { createToolRegistry, validateAgentGraph } from '@quartermaster/agent';
import type { AgentConfig, Tool } from '@quartermaster/agent';
import type { ModelCache } from '@quartermaster/agent/models';
import { createPermissionEngine, warnOfUnusedRules } from '@quartermaster/agent/permissions';
import type { PathSurroundings, PermissionRule } from '@quartermaster/agent/permissions';
import type { Host } from '@quartermaster/agent/services';
import type { Settings, Variables } from '@quartermaster/agent/settings';
import type { LanguageModelOptions } from '@quartermaster/providers';
import type { Store } from '@quartermaster/store';
import type { AgentFile, FileAgent } from '../agent-file/agent-file.ts';
import type { ModelParameters } from '../agents/runnable-agent.ts';
import { createRuntimeBackend } from '../backend.ts';
import type { RuntimeBackend } from '../backend.ts';
import type { OwnerHost } from '../owner/owner.ts';
import { RuntimeError } from '../runtime-error.ts';
import { createPublicFetch } from '../toolsets/public-fetch.ts';
import type { McpTiming } from '../toolsets/mcp/timing.ts';
import type { McpLogins } from '../toolsets/mcp/oauth/open-login.ts';
import type { McpStatus } from '../toolsets/mcp/status.ts';
import { defaultRules } from './default-rules.ts';
import { createTeamModels } from './team-models.ts';
import { createTeamServers } from './team-servers.ts';
import { hasCatalogue, mayGrow, promptOf, registerToolsets, toolsOf } from './team-tools.ts';
import { toolsetCapabilities } from './toolset-capabilities.ts';

/** What the agents of a file are made to work with. */
export interface TeamOptions {
  readonly file: AgentFile;
  /** Absolute: the folder of the file. */
  readonly folder: string;
  readonly settings: Settings;
  /** Where the credentials stand that the file names. */
  readonly env: Variables;
  readonly catalog: LanguageModelOptions['catalog'];
  readonly modelCache?: ModelCache;
  readonly store: Store;
  /** How paths are read; its workspace is the folder that the agents work in. */
  readonly paths: PathSurroundings;
  /** The user's rules, beside those of the file. */
  readonly rules: readonly PermissionRule[];
  readonly isProjectTrusted: () => boolean;
  readonly host: Host;
  readonly ownerHost: OwnerHost;
  readonly clock: { now(): number };
  readonly ids: () => string;
  /** The surface that its sessions begin on. */
  readonly origin: string;
  readonly warn: (message: string) => void;
  /** With what servers are logged in to; default: none, and those that ask for a login are given up. */
  readonly logins?: McpLogins;
  /** When MCP servers are started again; the system's time and chance by default. */
  readonly timing?: Partial<McpTiming>;
}

/** The agents of a file, ready to be started. */
export interface Team {
  readonly backend: RuntimeBackend;
  /** How the MCP servers are; they start with the backend. */
  servers(): readonly McpStatus[];
  /** Lets go of what they share. */
  close(): Promise<void>;
}

/**
 * Makes the agents of a file. Their tree is checked before anything is made, and nobody is asked for models before the
 * start (G1). Rejects with `AgentGraphError`, `RUNTIME_AGENT_FILE` and `AgentError`.
 */
export async function createTeam(options: TeamOptions): Promise<Team> {
  const { file, settings, paths, isProjectTrusted, store, clock, ids, host, ownerHost, origin } = options;
  validateAgentGraph(file.agents.map((agent) => toConfig(agent, { prompt: '', tools: [] })));
  requireModels(options);
  warnOfRules(options);
  const { agents } = file;
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const registry = createToolRegistry();
  const web = createPublicFetch();
  const surroundings = { ...options, workspace: paths.workspace, base: options.folder, fetch: web.fetch };
  const toolsets = await registerToolsets(registry, file, surroundings);
  const servers = createTeamServers(registry, file, {
    ...surroundings,
    fetch: globalThis.fetch,
    publicFetch: web.fetch,
  });
  const models = createTeamModels({ ...options, ...(options.modelCache && { cache: options.modelCache }) });
  const backend = createRuntimeBackend({
    registry,
    agents: validateAgentGraph(
      file.agents.map((agent) =>
        toConfig(agent, {
          prompt: promptOf(agent, toolsets),
          tools: toolsOf(agent, toolsets, { isDeferred: false }),
        }),
      ),
    ),
    settings,
    models: (name) => models.model(name),
    defaultModel: settings.model ?? '',
    parameters: (name) => parametersOf(file, name, settings),
    permissions: createPermissionEngine({
      rules: [...defaultRules, ...options.rules, ...file.rules],
      surroundings: paths,
      isProjectTrusted,
    }),
    store,
    services: { project: paths.workspace, fetch: web.fetch, codeExecutor: { host } },
    clock,
    ids,
    host: ownerHost,
    origin,
    lateTools: (agent) => servers.toolsOf(agent, { isDeferred: false }),
    ...(agents.some(hasCatalogue) && {
      catalogue: (name) => [
        ...toolsOf(byName.get(name), toolsets, { isDeferred: true }),
        ...servers.toolsOf(name, { isDeferred: true }),
      ],
    }),
    mayGrow: (name) => mayGrow(byName.get(name)),
    toolsetOf: (tool) =>
      [...toolsets].find(([, { tools }]) => tools.some(({ name }) => name === tool))?.[0] ??
      servers.toolsetOf(tool),
  });
  return {
    backend: {
      ...backend,
      async start(start) {
        await Promise.all([models.resolve(start.model, start), servers.start(start)]);
        return await backend.start(start);
      },
      async compact(session, compaction) {
        await models.resolve(compaction.model, compaction);
        return await backend.compact(session, compaction);
      },
    },
    servers: () => servers.status(),
    async close() {
      await Promise.all([servers.close(), web.close()]);
    },
  };
}

/** Before a provider is asked for its list: nobody has to wait for that. */
function requireModels({ file, settings }: TeamOptions): void {
  const without = file.agents.filter(({ model }) => model === undefined).map(({ name }) => name);
  if (without.length === 0 || settings.model !== undefined) return;
  throw new RuntimeError(
    'RUNTIME_AGENT_FILE',
    `expected a model for ${without.join(', ')}: name one in the file, in QM_MODEL or by --model.`,
  );
}

/** A rule that guards nothing is no reason to stop, since another program may know more of the user's. */
function warnOfRules({ file, rules, warn }: TeamOptions): void {
  const ofAgents = file.agents.flatMap(({ permissions }) => permissions?.rules ?? []);
  warnOfUnusedRules([...rules, ...file.rules, ...ofAgents], toolsetCapabilities).forEach(warn);
}

function toConfig(
  agent: FileAgent,
  made: { readonly prompt: string; readonly tools: readonly Tool[] },
): AgentConfig<Settings> {
  const { name, description, model, fallbackModels, maxIterations, permissions, subAgents } = agent;
  return {
    name,
    ...made,
    fallbackModels,
    maxIterations,
    subAgents,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(permissions !== undefined && { permissions }),
  };
}

function parametersOf({ agents, models }: AgentFile, name: string, settings: Settings): ModelParameters {
  const agent = agents.find((one) => one.name === name);
  const { temperature, maxOutputTokens, reasoning } =
    models.get(agent?.model ?? settings.model ?? '')?.parameters ?? {};
  const { structuredOutput } = agent ?? {};
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoning !== undefined && { reasoning }),
    ...(structuredOutput !== undefined && { structuredOutput }),
  };
}
