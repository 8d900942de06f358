import type { ToolDefinition } from '@quartermaster/agent';

/** A definition whose `run` gets what its schema yields. It is no tool yet: a registry issues one of it. */
export function defineTool<Input, Output>(definition: ToolDefinition<Input, Output>): ToolDefinition {
  return definition;
}
