const mcpPrefix = 'mcp__';
const separator = '__';

/** What is deferred together (RU6): one built-in tool, or all tools of one MCP server. */
export interface Unit {
  /** The tool's name, or `mcp__server`. */
  readonly name: string;
  /** Told apart, since a built-in may be spelled like a server: `mcp__x`. */
  readonly isServer: boolean;
  /** Its tools in this request, in the request's order; at least one. */
  readonly tools: readonly string[];
}

/** The units that a set of names belongs to. */
export interface UnitNames {
  readonly tools: ReadonlySet<string>;
  readonly servers: ReadonlySet<string>;
}

/**
 * The unit that a tool belongs to (RU6): `mcp__server` for `mcp__<server>__<tool>`, else its own name.
 * The server ends at the first `__` after the prefix; where it or the tool part is empty, the tool is a built-in.
 */
export function unitOf(name: string): string {
  return serverOf(name) ?? name;
}

/** Groups tool names by unit, in the order of each unit's first tool. */
export function groupByUnit(names: Iterable<string>): Unit[] {
  const units: Unit[] = [];
  const toolsByServer = new Map<string, string[]>();
  for (const name of names) {
    const server = serverOf(name);
    const tools = server === undefined ? undefined : toolsByServer.get(server);
    if (tools !== undefined) {
      tools.push(name);
      continue;
    }
    const unit = { name: server ?? name, isServer: server !== undefined, tools: [name] };
    if (server !== undefined) toolsByServer.set(server, unit.tools);
    units.push(unit);
  }
  return units;
}

/** The units of all names in `sets`. */
export function unitNamesOf(sets: readonly ReadonlySet<string>[]): UnitNames {
  const tools = new Set<string>();
  const servers = new Set<string>();
  for (const names of sets) {
    for (const name of names) {
      const server = serverOf(name);
      if (server === undefined) tools.add(name);
      else servers.add(server);
    }
  }
  return { tools, servers };
}

/** `mcp__server` of every server that one of `names` belongs to. */
export function serversAmong(names: ReadonlySet<string>): ReadonlySet<string> {
  const servers = new Set<string>();
  for (const name of names) {
    const server = serverOf(name);
    if (server !== undefined) servers.add(server);
  }
  return servers;
}

/** Whether `unit` is among `names`. */
export function hasUnit(names: UnitNames, unit: Unit): boolean {
  return (unit.isServer ? names.servers : names.tools).has(unit.name);
}

function serverOf(name: string): string | undefined {
  if (!name.startsWith(mcpPrefix)) return undefined;
  const end = name.indexOf(separator, mcpPrefix.length);
  const hasServer = end > mcpPrefix.length;
  const hasTool = name.length > end + separator.length;
  return hasServer && hasTool ? name.slice(0, end) : undefined;
}
