import { setTimeout as sleep } from 'node:timers/promises';
import type { Tool, ToolRegistry } from '@quartermaster/agent';
import { createQualifiedNames } from '@quartermaster/agent/engine';
import type { AgentFile } from '../agent-file/agent-file.ts';
import { createMcpToolset } from '../toolsets/mcp/mcp-toolset.ts';
import type { McpToolset, McpToolsetOptions } from '../toolsets/mcp/mcp-toolset.ts';
import type { McpTiming } from '../toolsets/mcp/timing.ts';
import type { McpStatus } from '../toolsets/mcp/status.ts';

/** The MCP servers of a file's agents; agents that name one toolset share its server. */
export interface TeamServers {
  /** Starts all of them together; waits only for those whose toolset says so, and not longer than for `signal`. */
  start(options: { readonly signal: AbortSignal }): Promise<void>;
  /** What an agent has of them now, in the order of its toolsets: of those that wait to be looked for, or of the others. */
  toolsOf(agent: string, options: { readonly isDeferred: boolean }): readonly Tool[];
  /** The toolset that a tool is of, by its name. */
  toolsetOf(tool: string): string | undefined;
  /** In the order of the file. */
  status(): readonly McpStatus[];
  close(): Promise<void>;
}

/** What the servers of a team work with. */
export interface TeamServersOptions extends Omit<
  McpToolsetOptions,
  'name' | 'registry' | 'names' | 'timing'
> {
  readonly timing?: Partial<McpTiming>;
}

/** Servers that were not started. Throws `AgentError` and `RUNTIME_AGENT_FILE` for one that can't be meant. */
export function createTeamServers(
  registry: ToolRegistry,
  { agents }: AgentFile,
  { timing, ...options }: TeamServersOptions,
): TeamServers {
  const names = createQualifiedNames();
  const parts = { ...options, registry, names, timing: { ...ownTiming, ...timing } };
  const byName = new Map<string, { readonly toolset: McpToolset; readonly isDeferred: boolean }>();
  for (const { name, config } of agents.flatMap(({ toolsets }) => toolsets)) {
    if (config.type !== 'mcp' || byName.has(name)) continue;
    const toolset = createMcpToolset(config, { ...parts, name });
    byName.set(name, { toolset, isDeferred: config.defer });
  }
  const servers = [...byName.values()].map(({ toolset }) => toolset);
  const ofAgent = new Map(
    agents.map(({ name, toolsets }) => [name, toolsets.flatMap((each) => byName.get(each.name) ?? [])]),
  );
  return {
    async start({ signal }) {
      await Promise.all(servers.map((server) => server.start({ signal })));
      signal.throwIfAborted();
    },
    toolsOf: (agent, { isDeferred }) =>
      (ofAgent.get(agent) ?? [])
        .filter((server) => server.isDeferred === isDeferred)
        .flatMap(({ toolset }) => toolset.tools()),
    toolsetOf: (tool) =>
      [...byName].find(([, { toolset }]) => toolset.tools().some(({ name }) => name === tool))?.[0],
    status: () => servers.map((server) => server.status()),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

const ownTiming: McpTiming = {
  clock: Date,
  sleep: (ms, { signal }) => sleep(ms, undefined, { signal }),
  random: Math.random,
};
