import type { Tool, ToolDefinition, ToolRegistry } from '@quartermaster/agent';

/** Issues the tools of toolsets. */
export type ToolIssuer = (definitions: readonly ToolDefinition[]) => readonly Tool[];

/**
 * Registers each definition once. Of a second toolset of the same type, as one for another folder, the tools are
 * variants of the first one's: another way to run, with the same name, contract and rights (T3). Contract: definitions
 * of one name differ in `run` alone.
 */
export function createToolIssuer(registry: ToolRegistry): ToolIssuer {
  const issued = new Map<string, Tool>();
  const issue = (definition: ToolDefinition): Tool => {
    const first = issued.get(definition.name);
    if (first !== undefined)
      return registry.issueVariant(first, (input, context) => definition.run(input, context));
    const tool = registry.register(definition);
    issued.set(definition.name, tool);
    return tool;
  };
  return (definitions) => definitions.map(issue);
}
