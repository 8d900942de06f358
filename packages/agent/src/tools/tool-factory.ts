import { DuplicateToolError } from './tool-errors.ts';
import type { Capabilities, Tool, ToolDefinition } from './tool.ts';

/** Makes tools and knows what it made; nothing else makes any (T3). One for each registry. */
export interface ToolFactory {
  /** Makes the tool of `definition` and binds it, `definition` and its own `run` to it. Throws `DuplicateToolError`. */
  issue(definition: ToolDefinition, options?: IssueOptions): Tool;
  /** Makes a tool that runs differently and is the same definition: it is retired with it. */
  issueVariant(tool: Tool, run: ToolDefinition['run']): Tool;
  /** Makes `candidate`, which the framework built around `tool`, resolve to it too. Throws `DuplicateToolError`. */
  bind(tool: Tool, candidate: object): void;
  /** What exactly this object was bound to; a copy, a proxy or a namesake was bound to nothing (T1, T2). */
  find(candidate: unknown): Identity | undefined;
}

/** What a new tool takes from elsewhere. */
export interface IssueOptions {
  /** Retired: whatever was bound to their definitions resolves to nothing from now on (T6). */
  readonly insteadOf?: readonly Tool[];
  /** In place of the definition's own. */
  readonly capabilities?: Capabilities;
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

  function find(candidate: unknown): Identity | undefined {
    if (!isObject(candidate)) return undefined;
    const identity = identities.get(candidate);
    if (identity === undefined || identity.binding.isRetired) return undefined;
    return { definition: identity.binding.definition, tool: identity.tool };
  }

  return {
    issue(definition, { insteadOf = [], capabilities = definition.capabilities } = {}) {
      for (const callable of callablesOf(definition)) {
        const other = find(callable)?.definition;
        if (other !== undefined && !insteadOf.includes(other)) throw boundTwice(definition.name, other.name);
      }
      for (const former of insteadOf) requireBinding(former).isRetired = true;
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
      const binding = requireBinding(tool);
      const other = find(candidate)?.definition;
      if (other !== undefined && other !== binding.definition) throw boundTwice(tool.name, other.name);
      identities.set(candidate, { binding, tool });
    },
    find,
  };
}

/** What an application may call a definition by: the object and its function. Instances of a class share theirs. */
function callablesOf(definition: ToolDefinition): readonly object[] {
  const own: unknown = Object.getOwnPropertyDescriptor(definition, 'run')?.value;
  return typeof own === 'function' ? [definition, own] : [definition];
}

/** Reads each field once, so that nothing the application changes later changes the tool. */
function freeze(
  definition: ToolDefinition,
  capabilities: Capabilities | undefined,
  run: ToolDefinition['run'],
): Tool {
  const { name, description, inputSchema, requires, isLongRunning, isPolling } = definition;
  return Object.freeze({
    name,
    description,
    inputSchema,
    ...(capabilities !== undefined && { capabilities: freezeDeep(structuredClone(capabilities)) }),
    ...(requires !== undefined && { requires: freezeDeep(structuredClone(requires)) }),
    ...(isLongRunning !== undefined && { isLongRunning }),
    ...(isPolling !== undefined && { isPolling }),
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

/** A callable is one tool: a second definition would change the rights of the first. */
function boundTwice(name: string, other: string): DuplicateToolError {
  return new DuplicateToolError(
    `Tool "${name}": its callable is bound to "${other}" already, and would change that tool's rights. ` +
      'Wrap it in a function of its own.',
  );
}
