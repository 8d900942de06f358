import type { ToolContract } from './tool-contract.ts';
import type { RegisterOptions, ToolRegistry } from './tool-registry.ts';
import type { Tool, ToolDefinition } from './tool.ts';

/** States what a name promises, without an implementation (T7). Throws `AgentError`. */
export function declareTool(registry: ToolRegistry, name: string, contract: ToolContract): void {
  registry.declare(name, contract);
}

/** Registers a tool; the input of `run` is what its schema yields. Throws `AgentError` (T6, T7). */
export function registerTool<Input, Output>(
  registry: ToolRegistry,
  definition: ToolDefinition<Input, Output>,
  options?: RegisterOptions,
): Tool {
  return registry.register(definition, options);
}
