import type { AgentConfig, AgentGraph, ToolRegistry } from '@quartermaster/agent';
import { resolvePrompt } from '@quartermaster/agent/engine';
import type { ToolReference } from '@quartermaster/agent/engine';
import type { PermissionEngine } from '@quartermaster/agent/permissions';
import type { LanguageModel, ModelRequest } from '@quartermaster/providers';
import type { IssueCatalogueTools } from '../toolsets/catalogue/catalogue-tools.ts';
import { isOffered } from './is-offered.ts';
import { createToolbox } from './toolbox.ts';
import type { OpenToolbox } from './toolbox.ts';

/** How an agent's models are asked. */
export type ModelParameters = Pick<
  ModelRequest,
  'maxOutputTokens' | 'temperature' | 'reasoning' | 'structuredOutput'
>;

/** An agent with all that it needs to work. */
export interface RunnableAgent {
  readonly name: string;
  readonly system: string;
  /** Its own, then its fallbacks (R1); never empty. */
  readonly models: readonly [LanguageModel, ...LanguageModel[]];
  readonly parameters: ModelParameters;
  /** At most its parent's (P8). */
  readonly permissions: PermissionEngine;
  readonly maxIterations: number;
  readonly openToolbox: OpenToolbox;
  /** The toolset of a tool, by its name: what a person would take it away by. */
  readonly toolsetOf: (tool: string) => string | undefined;
  /** Whether tools may come while it works (D11). */
  readonly mayGrow: boolean;
}

/** What agents are made of. */
export interface AgentParts<Settings> {
  readonly registry: ToolRegistry;
  readonly agents: AgentGraph<Settings>;
  readonly settings: Settings;
  /** By its id, as an agent's configuration names it. Throws where there is none. */
  readonly models: (id: string) => LanguageModel;
  /** Of agents that name none. */
  readonly defaultModel: string;
  readonly parameters?: (agent: string) => ModelParameters;
  readonly permissions: PermissionEngine;
  /** Tools that come and go while the agents run, beside the configured ones; asked before each request. */
  readonly lateTools?: (agent: string) => readonly ToolReference[];
  /** Tools that wait until the model looks for them; asked before each request. */
  readonly catalogue?: (agent: string) => readonly ToolReference[];
  readonly toolsetOf?: (tool: string) => string | undefined;
  /**
   * Whether an agent's tools may grow: those with an MCP, a skill or a deferred toolset (D11). Contract: the same for the
   * life of its sessions. Default: where there are
   * `lateTools` or a `catalogue`.
   */
  readonly mayGrow?: (agent: string) => boolean;
}

/** What the engine adds of its own. */
export interface EngineParts {
  /** By agent: the tools that hand work to its sub-agents. */
  readonly handOffs: ReadonlyMap<string, readonly ToolReference[]>;
  readonly maxIterations: number;
  /** Left out where no agent has a catalogue. */
  readonly issueCatalogueTools: IssueCatalogueTools | undefined;
  /** In place of the root's model, and of the default. */
  readonly model: string | undefined;
}

/** Makes every agent of a graph ready, or throws for the first that can't be. */
export function buildAgents<Settings>(
  parts: AgentParts<Settings>,
  engine: EngineParts,
): ReadonlyMap<string, RunnableAgent> {
  const { agents } = parts.agents;
  const permissions = narrowAll(parts);
  return new Map(
    [...agents.values()].map((config) => [
      config.name,
      buildAgent(config, { parts, engine, permissions: permissions.get(config.name) ?? parts.permissions }),
    ]),
  );
}

interface AgentSurroundings<Settings> {
  readonly parts: AgentParts<Settings>;
  readonly engine: EngineParts;
  readonly permissions: PermissionEngine;
}

function buildAgent<Settings>(
  config: AgentConfig<Settings>,
  { parts, engine, permissions }: AgentSurroundings<Settings>,
): RunnableAgent {
  const { name } = config;
  const isRoot = name === parts.agents.root;
  const model = (isRoot ? engine.model : undefined) ?? config.model ?? engine.model ?? parts.defaultModel;
  const isOfferedHere = (reference: ToolReference): boolean =>
    isOffered(parts.registry.resolve(reference), permissions);
  return {
    name,
    system: resolvePrompt(config, parts.settings),
    models: [parts.models(model), ...(config.fallbackModels ?? []).map((id) => parts.models(id))],
    parameters: parts.parameters?.(name) ?? {},
    permissions,
    maxIterations: config.maxIterations ?? engine.maxIterations,
    mayGrow: parts.mayGrow?.(name) ?? (parts.lateTools !== undefined || parts.catalogue !== undefined),
    toolsetOf: (tool) => parts.toolsetOf?.(tool),
    openToolbox: createToolbox(parts.registry, {
      own: () => [
        ...(config.tools ?? []),
        ...(engine.handOffs.get(name) ?? []),
        ...(parts.lateTools?.(name) ?? []).filter(isOfferedHere),
      ],
      catalogue: () => (parts.catalogue?.(name) ?? []).filter(isOfferedHere),
      issueCatalogueTools: engine.issueCatalogueTools,
    }),
  };
}

/** From the root down: each agent's rights are its parent's, narrowed by its own configuration (P8). */
function narrowAll<Settings>({
  agents: { agents, buildOrder, root },
  permissions,
}: AgentParts<Settings>): ReadonlyMap<string, PermissionEngine> {
  const narrowed = new Map([[root, permissions]]);
  for (const name of buildOrder.toReversed()) {
    const config = agents.get(name);
    const given = narrowed.get(name) ?? permissions;
    const own = config?.permissions === undefined ? given : given.narrow(config.permissions);
    narrowed.set(name, own);
    for (const child of config?.subAgents ?? []) narrowed.set(child, own);
  }
  return narrowed;
}
