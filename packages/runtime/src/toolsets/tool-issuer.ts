import type { Tool, ToolDefinition, ToolRegistry } from '@quartermaster/agent';

/** Issues a tool of a toolset. */
export type ToolIssuer = (definition: ToolDefinition) => Tool;

/**
 * Registers each definition once. Of a second toolset of the same type, as one for another folder, the tools are
 * variants of the first one's: another way to run, with the same name, contract and rights (T3). Contract: definitions
 * of one name differ in `run` alone.
 */
export function createToolIssuer(registry: ToolRegistry): ToolIssuer {
  const issued = new Map<string, Tool>();
  return (definition) => {
    const first = issued.get(definition.name);
    if (first !== undefined)
      return registry.issueVariant(first, (input, context) => definition.run(input, context));
    const tool = registry.register(definition);
    issued.set(definition.name, tool);
    return tool;
  };
}
