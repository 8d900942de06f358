import { DuplicateToolError } from './tool-errors.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { Tool } from './tool.ts';

/** How an application names a tool to an agent: a name, or the function or object itself. */
export type ToolReference = string | object;

/** One tool of an assembly. */
export type AssembledTool =
  | { readonly type: 'bound'; readonly name: string; readonly definition: Tool; readonly tool: Tool }
  /** `supplied` is exactly what the application gave; a call of it is denied (T4). */
  | { readonly type: 'unbound'; readonly name: string; readonly supplied: object };

/** The tools of one agent, in the order of their first reference. */
export interface ToolAssembly {
  readonly tools: readonly AssembledTool[];
  /** The one that the model means by `name`. */
  find(name: string): AssembledTool | undefined;
}

/**
 * Picks for `backend` what the references stand for: its own variant of a declared tool (T8), each tool once, and what
 * the registry never bound exactly as it came (T4). Throws `AgentError` for a name that stands for nothing or for two.
 */
export function assembleTools(
  registry: ToolRegistry,
  references: readonly ToolReference[],
  { backend }: { readonly backend: string },
): ToolAssembly {
  const tools: AssembledTool[] = [];
  const byName = new Map<string, AssembledTool>();
  for (const reference of references) {
    const assembled = assembleTool(registry, reference, backend);
    const namesake = byName.get(assembled.name);
    if (namesake !== undefined && !isSame(assembled, namesake)) throw calledAlike(assembled.name);
    if (namesake !== undefined) continue;
    tools.push(assembled);
    if (assembled.name !== '') byName.set(assembled.name, assembled);
  }
  return { tools, find: (name) => byName.get(name) };
}

function assembleTool(registry: ToolRegistry, reference: ToolReference, backend: string): AssembledTool {
  if (typeof reference === 'string') return bound(registry.requireFor(reference, backend));
  const identity = registry.identify(reference);
  if (identity === undefined) return { type: 'unbound', name: nameOf(reference), supplied: reference };
  const definition = registry.requireFor(identity.definition.name, backend);
  return definition === identity.definition ? bound(definition, identity.tool) : bound(definition);
}

function bound(definition: Tool, tool = definition): AssembledTool {
  return { type: 'bound', name: definition.name, definition, tool };
}

/** What the model would be told, empty where it has none; it gives no right. */
function nameOf(supplied: object): string {
  return 'name' in supplied && typeof supplied.name === 'string' ? supplied.name : '';
}

function isSame(left: AssembledTool, right: AssembledTool): boolean {
  if (left.type === 'bound') return right.type === 'bound' && left.definition === right.definition;
  return right.type === 'unbound' && left.supplied === right.supplied;
}

function calledAlike(name: string): DuplicateToolError {
  return new DuplicateToolError(
    `Expected each tool of an agent to have a name of its own; two different ones are called "${name}". ` +
      'Leave one out, or rename it.',
  );
}
