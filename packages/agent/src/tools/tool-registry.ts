import { AgentError } from '../agent-error.ts';
import { nearestNames } from '../nearest-names.ts';
import { checkCapabilities, checkDefinition, checkName } from './check-definition.ts';
import { createToolFactory } from './tool-factory.ts';
import type { Identity } from './tool-factory.ts';
import { requireSameCapabilities, requireSameContract } from './tool-contract.ts';
import type { ToolContract } from './tool-contract.ts';
import type { Tool, ToolDefinition } from './tool.ts';
import { AmbiguousToolError, DuplicateToolError, UndeclaredVariantError } from './tool-errors.ts';

/** How a definition takes its name. */
export interface RegisterOptions {
  /** Takes the name over: everything bound to its former definition is bound to nothing from then on (T6). */
  readonly replace?: boolean;
  /** Registers for one backend what `declareTool` stated; `name` is that of the definition. */
  readonly backend?: string;
  /** The declared name; must be the definition's own. */
  readonly variantOf?: string;
}

/**
 * The tools of one application. Rights come from the object that the registry was given or has issued, never from its
 * name: there is no way from a name, an equal structure or another registry to an identity (T1).
 */
export interface ToolRegistry {
  /** States a contract without an implementation. The same contract again is fine; another one throws (T7). */
  declare(name: string, contract: ToolContract): void;
  /** Issues the tool of a definition, for every backend or as one's variant. Throws `AgentError` (T6, T7). */
  register(definition: ToolDefinition, options?: RegisterOptions): Tool;
  /** Issues a tool of the same contract under another name (T3). */
  rename(tool: Tool, name: string): Tool;
  /** Issues a tool that runs differently and keeps identity and contract, for as long as someone holds it. */
  issueVariant(tool: Tool, run: ToolDefinition['run']): Tool;
  /** Makes an object that the framework built around `tool` for another engine resolve to it. */
  bind(tool: Tool, candidate: object): void;
  /** The identity of exactly this object; nothing for what was never bound, was bound elsewhere or is retired. */
  identify(candidate: unknown): Identity | undefined;
  /** The definition of exactly this object. */
  resolve(candidate: unknown): Tool | undefined;
  /** The tool that a backend gets for a name: its variant, or the one for all of them (T8). */
  canonicalFor(name: string, backend: string): Tool | undefined;
  /** The same, but throws `AgentError` for a name that nobody has or that this backend has no variant of (T8). */
  requireFor(name: string, backend: string): Tool;
}

type Entry =
  | { readonly type: 'tool'; readonly tool: Tool }
  | {
      readonly type: 'declared';
      readonly contract: ToolContract;
      readonly variants: ReadonlyMap<string, Tool>;
    };

/** An empty registry. It owns its identities: dropping it drops them (T5). */
export function createToolRegistry(): ToolRegistry {
  const factory = createToolFactory();
  const entries = new Map<string, Entry>();

  function declare(name: string, contract: ToolContract): void {
    checkName(name);
    checkCapabilities(name, contract.capabilities);
    const entry = entries.get(name);
    if (entry?.type === 'tool') throw taken(name);
    if (entry !== undefined) requireSameContract(name, entry.contract, contract);
    const backends = [...new Set([...(entry?.contract.backends ?? []), ...(contract.backends ?? [])])];
    entries.set(name, {
      type: 'declared',
      contract: {
        description: contract.description,
        capabilities: structuredClone(contract.capabilities),
        backends,
      },
      variants: entry?.variants ?? new Map(),
    });
  }

  function register(definition: ToolDefinition, options: RegisterOptions = {}): Tool {
    checkDefinition(definition);
    const { backend, variantOf } = options;
    if (backend === undefined && variantOf === undefined) return registerForAll(definition, options);
    if (backend === undefined || variantOf !== definition.name) throw halfVariant(definition.name, options);
    return registerVariant(definition, backend, options);
  }

  function registerForAll(definition: ToolDefinition, { replace = false }: RegisterOptions): Tool {
    const { name } = definition;
    const entry = entries.get(name);
    if (entry !== undefined && !replace) throw taken(name);
    const tool = factory.issue(definition, { insteadOf: entry === undefined ? [] : toolsOf(entry) });
    entries.set(name, { type: 'tool', tool });
    return tool;
  }

  function registerVariant(
    definition: ToolDefinition,
    backend: string,
    { replace = false }: RegisterOptions,
  ): Tool {
    const { name } = definition;
    const entry = entries.get(name);
    if (entry?.type !== 'declared') throw new UndeclaredVariantError(name, backend);
    const { capabilities } = entry.contract;
    requireSameCapabilities(name, capabilities, definition.capabilities ?? capabilities);
    const former = entry.variants.get(backend);
    if (former !== undefined && !replace) throw taken(name, backend);
    const tool = factory.issue(definition, { insteadOf: former === undefined ? [] : [former], capabilities });
    entries.set(name, { ...entry, variants: new Map([...entry.variants, [backend, tool]]) });
    return tool;
  }

  function canonicalFor(name: string, backend: string): Tool | undefined {
    const entry = entries.get(name);
    return entry?.type === 'declared' ? entry.variants.get(backend) : entry?.tool;
  }

  function requireFor(name: string, backend: string): Tool {
    const tool = canonicalFor(name, backend);
    if (tool !== undefined) return tool;
    const entry = entries.get(name);
    if (entry?.type !== 'declared') throw unknownName(name, entries.keys());
    const backends = new Set([...entry.variants.keys(), ...(entry.contract.backends ?? [])]);
    backends.delete(backend);
    throw new AmbiguousToolError(name, backend, [...backends].sort());
  }

  return {
    declare,
    register,
    rename: (tool, name) => register({ ...tool, name, run: (input, context) => tool.run(input, context) }),
    issueVariant: (tool, run) => factory.issueVariant(tool, run),
    bind: (tool, candidate) => factory.bind(tool, candidate),
    identify: (candidate) => factory.find(candidate),
    resolve: (candidate) => factory.find(candidate)?.definition,
    canonicalFor,
    requireFor,
  };
}

function toolsOf(entry: Entry): readonly Tool[] {
  return entry.type === 'tool' ? [entry.tool] : [...entry.variants.values()];
}

function taken(name: string, backend?: string): DuplicateToolError {
  const where = backend === undefined ? '' : ` for ${backend}`;
  return new DuplicateToolError(
    `Expected a name that no tool has; "${name}" is registered or declared${where} already. ` +
      'Use another name, replace: true to retire the former one, or variantOf for one of several backends.',
  );
}

function halfVariant(name: string, { backend, variantOf }: RegisterOptions): AgentError {
  return new AgentError(
    'TOOL_BAD_DEFINITION',
    `Tool "${name}": expected both variantOf: "${name}" and a backend; got variantOf ${variantOf} and backend ${backend}.`,
  );
}

function unknownName(name: string, known: Iterable<string>): AgentError {
  const near = nearestNames(name, known);
  const hint =
    near.length === 0 ? 'Register it, or pass the tool itself.' : `Near names: ${near.join(', ')}.`;
  return new AgentError('TOOL_UNKNOWN', `Expected the name of a registered tool, got "${name}". ${hint}`);
}
