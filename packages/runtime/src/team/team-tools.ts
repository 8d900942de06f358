import type { Tool, ToolRegistry } from '@quartermaster/agent';
import type { AgentFile, FileAgent } from '../agent-file/agent-file.ts';
import { createToolsetRegistrar } from '../toolsets/register-toolset.ts';
import type { RegisteredToolset, ToolsetSurroundings } from '../toolsets/register-toolset.ts';

/** The toolsets by their names, but for those of servers; one that several agents name is registered once. */
export async function registerToolsets(
  registry: ToolRegistry,
  { agents }: AgentFile,
  surroundings: ToolsetSurroundings,
): Promise<OwnToolsets> {
  const register = createToolsetRegistrar(registry, surroundings);
  const toolsets = new Map<string, RegisteredToolset>();
  for (const { name, config } of agents.flatMap((agent) => agent.toolsets)) {
    if (config.type === 'mcp' || toolsets.has(name)) continue;
    toolsets.set(name, await register({ name, config }));
  }
  return toolsets;
}

/** What a file's agents have beside servers, by the names of toolsets. */
export type OwnToolsets = ReadonlyMap<string, RegisteredToolset>;

/** What an agent is told: its instruction, and what its toolsets add to it. */
export function promptOf({ instruction, toolsets }: FileAgent, registered: OwnToolsets): string {
  const notes = toolsets.flatMap(({ name }) => registered.get(name)?.note ?? []);
  return [instruction, ...notes].join('\n\n');
}

/** What an agent has of them: of those that wait to be looked for, or of the others. */
export function toolsOf(
  agent: FileAgent | undefined,
  registered: OwnToolsets,
  { isDeferred }: { readonly isDeferred: boolean },
): readonly Tool[] {
  const toolsets = agent?.toolsets ?? [];
  return toolsets
    .filter(({ config }) => (config.defer === true) === isDeferred)
    .flatMap(({ name }) => registered.get(name)?.tools ?? []);
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
