import type { AgentConfig } from './agent-config.ts';
import { AgentGraphError } from './agent-graph-error.ts';
import { checkPrompt } from './prompt.ts';

/** Agents that form one tree. */
export interface AgentGraph<Settings = unknown> {
  readonly agents: ReadonlyMap<string, AgentConfig<Settings>>;
  /** Every agent after all of its sub-agents; the root is last. The order of declaration does not matter (G3). */
  readonly buildOrder: readonly string[];
  readonly root: string;
}

type Agents = ReadonlyMap<string, AgentConfig<never>>;

/**
 * The graph of these agents. Throws `AgentGraphError`, which names the agents at fault, before anything is allocated,
 * called or asked for (G1).
 */
export function validateAgentGraph<Settings>(
  configs: readonly AgentConfig<Settings>[],
): AgentGraph<Settings> {
  refuseNone(configs);
  refuseDuplicates(configs);
  for (const config of configs) checkPrompt(config);
  const agents = new Map(configs.map((config) => [config.name, config]));
  refuseDangling(agents);
  refuseSelfReferences(agents);
  refuseSharedChildren(agents);
  refuseCycles(agents);
  const root = requireOneRoot(agents);
  return { agents, buildOrder: childrenFirst(agents, root), root };
}

function refuseNone(configs: readonly AgentConfig<never>[]): void {
  if (configs.length === 0) throw new AgentGraphError([], 'Expected at least one agent; there is none.');
}

function refuseDuplicates(configs: readonly AgentConfig<never>[]): void {
  const names = configs.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].sort();
  if (twice.length > 0)
    throw new AgentGraphError(twice, `Expected a name for each agent; ${list(twice)} stand twice.`);
}

function refuseDangling(agents: Agents): void {
  const dangling = edgesOf(agents).filter(({ child }) => !agents.has(child));
  if (dangling.length === 0) return;
  throw new AgentGraphError(
    namesOf(dangling.map(({ parent }) => parent)),
    `Expected sub-agents among ${list([...agents.keys()].sort())}; found ${dangling.map(arrow).sort().join(', ')}.`,
  );
}

function refuseSelfReferences(agents: Agents): void {
  const selves = namesOf(edgesOf(agents).flatMap(({ parent, child }) => (parent === child ? [parent] : [])));
  if (selves.length > 0)
    throw new AgentGraphError(selves, `Expected no agent to be its own sub-agent; ${list(selves)} are.`);
}

/** A child that one parent names twice is claimed twice as well. */
function refuseSharedChildren(agents: Agents): void {
  const parents = Map.groupBy(edgesOf(agents), ({ child }) => child);
  const shared = [...parents].filter(([, edges]) => edges.length > 1);
  if (shared.length === 0) return;
  const claims = shared.map(
    ([child, edges]) =>
      `${child} by ${edges
        .map(({ parent }) => parent)
        .sort()
        .join(' and ')}`,
  );
  throw new AgentGraphError(
    namesOf(shared.flatMap(([child, edges]) => [child, ...edges.map(({ parent }) => parent)])),
    `Expected each sub-agent to have one parent; claimed twice: ${claims.sort().join('; ')}.`,
  );
}

/** Every agent has at most one parent here, so that walking up either ends or comes round. */
function refuseCycles(agents: Agents): void {
  const parentOf = new Map(edgesOf(agents).map(({ parent, child }) => [child, parent]));
  for (const start of [...agents.keys()].sort()) {
    const path = [start];
    for (let parent = parentOf.get(start); parent !== undefined; parent = parentOf.get(parent)) {
      if (parent === start) throw cycle(path.reverse());
      if (path.includes(parent)) break; // it comes round above; that cycle has a start of its own
      path.push(parent);
    }
  }
}

function requireOneRoot(agents: Agents): string {
  const children = new Set(edgesOf(agents).map(({ child }) => child));
  const roots = [...agents.keys()].filter((name) => !children.has(name)).sort();
  const [root] = roots;
  if (root !== undefined && roots.length === 1) return root;
  throw new AgentGraphError(
    roots,
    `Expected one agent that is nobody's sub-agent; ${list(roots)} are. Let one of them name the others.`,
  );
}

function childrenFirst(agents: Agents, name: string): readonly string[] {
  const children = agents.get(name)?.subAgents ?? [];
  return [...children.flatMap((child) => childrenFirst(agents, child)), name];
}

interface Edge {
  readonly parent: string;
  readonly child: string;
}

function edgesOf(agents: Agents): readonly Edge[] {
  return [...agents.values()].flatMap(({ name, subAgents = [] }) =>
    subAgents.map((child) => ({ parent: name, child })),
  );
}

/** Printed from its first name in alphabetical order on, so that the order of declaration changes nothing. */
function cycle(path: readonly string[]): AgentGraphError {
  const [first = ''] = path.toSorted();
  const start = path.indexOf(first);
  const round = [...path.slice(start), ...path.slice(0, start)];
  return new AgentGraphError(
    round,
    `Expected a tree of agents; found the cycle ${[...round, first].join(' → ')}.`,
  );
}

function arrow({ parent, child }: Edge): string {
  return `${parent} → ${child}`;
}

function namesOf(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
