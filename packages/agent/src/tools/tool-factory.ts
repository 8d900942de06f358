import type { Capabilities, Tool, ToolDefinition } from './tool.ts';

/** Makes tools and knows what it made; nothing else makes any (T3). One for each registry. */
export interface ToolFactory {
  /** Makes the tool of `definition` and binds it, and each of `callablesOf(definition)`, to it. */
  issue(definition: ToolDefinition, capabilities?: Capabilities): Tool;
  /** Makes a tool that runs differently and is the same definition: it is retired with it. */
  issueVariant(tool: Tool, run: ToolDefinition['run']): Tool;
  /** Makes `candidate`, which the framework built around `tool`, resolve to the same definition. */
  bind(tool: Tool, candidate: object): void;
  /** Takes the identities of a definition away: whatever was bound to it resolves to nothing from now on (T6). */
  retire(tool: Tool): void;
  /** What exactly this object was bound to; a copy, a proxy or a namesake was bound to nothing (T1, T2). */
  find(candidate: unknown): Identity | undefined;
}

/** What a bound object stands for. */
export interface Identity {
  /** The definition that decides rights and services. */
  readonly definition: Tool;
  /** What a call runs: a variant, or the definition. */
  readonly tool: Tool;
}

/** What is bound to one definition, and is retired together. */
interface Binding {
  readonly definition: Tool;
  isRetired: boolean;
}

/** A factory that has made nothing yet. */
export function createToolFactory(): ToolFactory {
  /** Weak, so that what a run bound for itself goes when the run goes, however long the registry lives (T5). */
  const identities = new WeakMap<object, { readonly binding: Binding; readonly tool: Tool }>();

  function requireBinding(tool: Tool): Binding {
    const identity = identities.get(tool);
    if (identity === undefined) throw new TypeError(`Expected a tool of this registry, got "${tool.name}".`);
    return identity.binding;
  }

  return {
    issue(definition, capabilities = definition.capabilities) {
      const tool = freeze(definition, capabilities, definition.run.bind(definition));
      const identity = { binding: { definition: tool, isRetired: false }, tool };
      for (const callable of [tool, ...callablesOf(definition)]) identities.set(callable, identity);
      return tool;
    },
    issueVariant(tool, run) {
      const binding = requireBinding(tool);
      const variant = freeze(binding.definition, binding.definition.capabilities, run);
      identities.set(variant, { binding, tool: variant });
      return variant;
    },
    bind(tool, candidate) {
      identities.set(candidate, { binding: requireBinding(tool), tool });
    },
    retire(tool) {
      requireBinding(tool).isRetired = true;
    },
    find(candidate) {
      if (!isObject(candidate)) return undefined;
      const identity = identities.get(candidate);
      if (identity === undefined || identity.binding.isRetired) return undefined;
      return { definition: identity.binding.definition, tool: identity.tool };
    },
  };
}

/** What an application may call a definition by: the object and its function. Instances of a class share theirs. */
export function callablesOf(definition: ToolDefinition): readonly object[] {
  const own: unknown = Object.getOwnPropertyDescriptor(definition, 'run')?.value;
  return typeof own === 'function' ? [definition, own] : [definition];
}

/** Reads each field once, so that nothing the application changes later changes the tool. */
function freeze(
  definition: ToolDefinition,
  capabilities: Capabilities | undefined,
  run: ToolDefinition['run'],
): Tool {
  const { name, description, inputSchema, requires, isLongRunning } = definition;
  return Object.freeze({
    name,
    description,
    inputSchema,
    ...(capabilities !== undefined && { capabilities: freezeDeep(structuredClone(capabilities)) }),
    ...(requires !== undefined && { requires: freezeDeep(structuredClone(requires)) }),
    ...(isLongRunning !== undefined && { isLongRunning }),
    run,
  }) as Tool;
}

function freezeDeep<Value>(value: Value): Value {
  if (!isObject(value)) return value;
  for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
