import type { Tool, ToolRegistry } from '@quartermaster/agent';
import { assembleTools, toJsonSchema } from '@quartermaster/agent/engine';
import type { AssembledTool, ToolAssembly, ToolReference } from '@quartermaster/agent/engine';
import type { JsonValue } from '@quartermaster/agent/messages';
import type { ToolDeclaration } from '@quartermaster/providers';

/** The engine's name, for tools that have a variant for each engine (T8). */
export const runtimeBackendName = 'runtime';

/** What an agent has at one moment: tools to call, and what a model is told of them. */
export interface Toolbox extends ToolAssembly {
  readonly declarations: readonly ToolDeclaration[];
}

/** Opens the toolbox of an agent. */
export type OpenToolbox = () => Toolbox;

/** References are read at each opening, since tools may come later; a tool is described once, so that it stays the same. */
export function createToolbox(
  registry: ToolRegistry,
  references: () => readonly ToolReference[],
): OpenToolbox {
  const described = new WeakMap<object, ToolDeclaration>();
  return () => {
    const assembly = assembleTools(registry, references(), { backend: runtimeBackendName });
    const declarations = assembly.tools.filter(hasName).map((tool) => {
      const key = tool.type === 'bound' ? tool.definition : tool.supplied;
      const declaration = described.get(key) ?? declare(tool);
      described.set(key, declaration);
      return declaration;
    });
    return { ...assembly, declarations };
  };
}

/** What was never bound is declared under the name it has, and denied when it is called (T4). */
function hasName({ name }: AssembledTool): boolean {
  return /^[\w-]{1,64}$/.test(name);
}

function declare(tool: AssembledTool): ToolDeclaration {
  if (tool.type === 'bound') return declareTool(tool.definition);
  return { name: tool.name, description: tool.name, inputSchema: { type: 'object' } };
}

function declareTool({ name, description, inputSchema }: Tool): ToolDeclaration {
  return { name, description, inputSchema: toJsonSchema(inputSchema) as Readonly<Record<string, JsonValue>> };
}
