import type { Unit } from './unit.ts';

/**
 * What the rule never defers, for every client (RU4). Exact spelling; a `*` at the end stands for any rest.
 * A client's own core tools and the account's `keep` list come on top as `RuleInput.keep`.
 */
export const protectedTools: readonly string[] = [
  'Bash',
  'Read',
  'Edit',
  'Write',
  'Agent',
  'Task',
  'Skill',
  'ToolSearch',
  'AskUserQuestion',
  'quartermaster_*',
];

/** Tells whether a list of tool names, `mcp__server` names and prefixes ending in `*` names any tool of a unit. */
export function createUnitMatcher(entries: readonly string[]): (unit: Unit) => boolean {
  const names = new Set(entries);
  const prefixes = entries.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1));
  const isNamed = (name: string): boolean =>
    names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return (unit) => names.has(unit.name) || unit.tools.some(isNamed);
}
