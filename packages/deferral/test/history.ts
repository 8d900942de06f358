import type { DeclaredTool, RuleInput, SessionTools } from '@quartermaster/deferral';

/** A session that declared `declared` and used `used`. */
export function session(declared: readonly string[], used: readonly string[] = []): SessionTools {
  return { declared: new Set(declared), used: new Set(used) };
}

/** Client tools of these names, in this order. */
export function clientTools(...names: readonly string[]): DeclaredTool[] {
  return names.map((name) => ({ name, kind: 'client' }));
}

/**
 * A request that declares `Bash` and tools of these names, after three sessions of another project that declared the
 * same and used nothing: all but `Bash` are deferred, and each test changes the one thing that it is about.
 */
export function unusedTools(names: readonly string[], changes: Partial<RuleInput> = {}): RuleInput {
  const tools = changes.tools ?? clientTools('Bash', ...names);
  const idle = session(tools.map((tool) => tool.name));
  return {
    tools,
    usedInThread: new Set(),
    tenantSessions: [idle, idle, idle],
    projectSessions: [],
    keep: [],
    forced: undefined,
    weigh: () => 200,
    ...changes,
  };
}
