import type { RuleInput, RuleReason, SessionTools } from '@quartermaster/deferral';

/** The rule once more, read off RU1–RU7 and RW4 tool by tool: slow, and with nothing shared with the real one. */
export function slowReasons(input: RuleInput): Map<string, RuleReason> {
  const client = input.tools.filter((tool) => tool.kind === 'client').map((tool) => tool.name);
  const reasons = new Map(client.map((name) => [name, slowReason(name, client, input)]));
  const last = client.at(-1);
  if (last !== undefined && [...reasons.values()].every((reason) => reason === 'deferred')) {
    for (const name of client) if (isSameUnit(name, last)) reasons.set(name, 'last-loaded');
  }
  for (const tool of input.tools) if (tool.kind !== 'client') reasons.set(tool.name, 'not-ours');
  return reasons;
}

function slowReason(name: string, client: readonly string[], input: RuleInput): RuleReason {
  const family = client.filter((other) => isSameUnit(other, name));
  const isIn = (names: Iterable<string>) => [...names].some((other) => isSameUnit(other, name));
  const isUsedBy = (sessions: readonly SessionTools[]) => sessions.some(({ used }) => isIn(used));
  const [first, second, third] = input.tenantSessions;

  if (isIn(input.usedInThread)) return 'used-in-thread';
  if (first === undefined || second === undefined || third === undefined) return 'too-few-sessions';
  if (isUsedBy([first, second, third])) return 'used-lately';
  if (![first, second, third].every(({ declared }) => isIn(declared))) return 'not-declared-lately';
  if (isUsedBy(input.projectSessions.filter((_, index) => index < 10))) return 'used-in-project';
  if (family.some(isCore)) return 'protected';
  if (family.some((tool) => input.keep.some((entry) => isMeantBy(entry, tool)))) return 'kept';
  if (family.some((tool) => tool === input.forced)) return 'forced';
  const weight = family.map(input.weigh).reduce((sum, one) => sum + one, 0);
  return weight < 200 ? 'too-light' : 'deferred';
}

function isSameUnit(one: string, other: string): boolean {
  const server = serverPart(one);
  return server === undefined ? one === other : server === serverPart(other);
}

function serverPart(name: string): string | undefined {
  return /^(mcp__(?:(?!__)[^])+)__[^]/.exec(name)?.[1];
}

function isCore(name: string): boolean {
  return /^(?:Bash|Read|Edit|Write|Agent|Task|Skill|ToolSearch|AskUserQuestion|quartermaster_[^]*)$/.test(
    name,
  );
}

function isMeantBy(entry: string, name: string): boolean {
  return (
    entry === name ||
    entry === serverPart(name) ||
    (entry.endsWith('*') && name.startsWith(entry.replace(/\*$/, '')))
  );
}
