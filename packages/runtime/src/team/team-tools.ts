import type { Tool, ToolRegistry } from '@quartermaster/agent';
import type { AgentFile, FileAgent } from '../agent-file/agent-file.ts';
import { createToolsetRegistrar } from '../toolsets/register-toolset.ts';
import type { ToolsetSurroundings } from '../toolsets/register-toolset.ts';

/** The tools of each toolset, by its name, but for those of servers; one that several agents name is registered once. */
export async function registerToolsets(
  registry: ToolRegistry,
  { agents }: AgentFile,
  surroundings: ToolsetSurroundings,
): Promise<ReadonlyMap<string, readonly Tool[]>> {
  const register = createToolsetRegistrar(registry, surroundings);
  const toolsets = new Map<string, readonly Tool[]>();
  for (const { name, config } of agents.flatMap((agent) => agent.toolsets)) {
    if (config.type === 'mcp' || toolsets.has(name)) continue;
    toolsets.set(name, await register({ name, config }));
  }
  return toolsets;
}

/** What an agent has of them: of those that wait to be looked for, or of the others. */
export function toolsOf(
  agent: FileAgent | undefined,
  tools: ReadonlyMap<string, readonly Tool[]>,
  { isDeferred }: { readonly isDeferred: boolean },
): readonly Tool[] {
  const toolsets = agent?.toolsets ?? [];
  return toolsets
    .filter(({ config }) => (config.defer === true) === isDeferred)
    .flatMap(({ name }) => tools.get(name) ?? []);
}

/** Whether any of its toolsets waits to be looked for. */
export function hasCatalogue({ toolsets }: FileAgent): boolean {
  return toolsets.some(({ config }) => config.defer === true);
}

/** Servers list other tools at any time, a skill may bring some, and what waits is found sooner or later (D11). */
export function mayGrow(agent: FileAgent | undefined): boolean {
  const toolsets = agent?.toolsets ?? [];
  return toolsets.some(
    ({ config }) => config.type === 'mcp' || config.type === 'skills' || config.defer === true,
  );
}
