import type { AgentConfig, AgentGraph, ToolRegistry } from '@quartermaster/agent';
import { resolvePrompt } from '@quartermaster/agent/engine';
import type { ToolReference } from '@quartermaster/agent/engine';
import type { PermissionEngine } from '@quartermaster/agent/permissions';
import type { LanguageModel, ModelRequest } from '@quartermaster/providers';
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
}

/** What the engine adds of its own. */
export interface EngineParts {
  /** By agent: the tools that hand work to its sub-agents. */
  readonly handOffs: ReadonlyMap<string, readonly ToolReference[]>;
  readonly maxIterations: number;
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
  return {
    name,
    system: resolvePrompt(config, parts.settings),
    models: [parts.models(model), ...(config.fallbackModels ?? []).map((id) => parts.models(id))],
    parameters: parts.parameters?.(name) ?? {},
    permissions,
    maxIterations: config.maxIterations ?? engine.maxIterations,
    openToolbox: createToolbox(parts.registry, () => [
      ...(config.tools ?? []),
      ...(engine.handOffs.get(name) ?? []),
      ...(parts.lateTools?.(name) ?? []).filter((each) =>
        isOffered(parts.registry.resolve(each), permissions),
      ),
    ]),
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
