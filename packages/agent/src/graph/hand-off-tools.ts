import { readText, textsSchema } from '../tools/text-input.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import type { AgentGraph } from './validate-agent-graph.ts';

/** Gives `task` to agent `child` and answers what came of it. */
export type HandOff = (child: string, task: string, context: ToolContext) => Promise<unknown>;

/**
 * Issues, for each agent, the tools by which it hands work to its sub-agents (T3). They are exempt: what a sub-agent
 * then does is asked for by its own tools, within its parent's rights (P8).
 */
export function registerHandOffTools(
  registry: ToolRegistry,
  { agents }: Pick<AgentGraph<never>, 'agents'>,
  handOff: HandOff,
): ReadonlyMap<string, readonly Tool[]> {
  const issue = (child: string): Tool =>
    registry.register({
      name: `hand_off_to_${child}`,
      description: agents.get(child)?.description ?? `Give a task to the agent ${child}.`,
      inputSchema: textsSchema(['task']),
      capabilities: 'exempt',
      run: (input, context) => handOff(child, readText(input, 'task'), context),
    });
  return new Map(
    [...agents.values()].map(({ name, subAgents = [] }) => [name, subAgents.map((child) => issue(child))]),
  );
}
