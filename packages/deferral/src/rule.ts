import { createUnitMatcher, protectedTools } from './protection.ts';
import { groupByUnit, hasUnit, serversAmong, unitNamesOf, type Unit, type UnitNames } from './unit.ts';

/** RU2: how many of the tenant's sessions must all have declared a unit, and none used it. */
const tenantSessionCount = 3;

/** RU3: how many of the project's sessions must not have used it. */
const projectSessionCount = 10;

/** RU5: what a unit must weigh at least, in o200k tokens. */
const minimumWeight = 200;

/** One entry of a request's `tools`, as the client sent it. */
export interface DeclaredTool {
  readonly name: string;
  /** `client`: ours to judge. `deferred`: the client itself marked it `defer_loading`. `server`: the provider runs it. */
  readonly kind: 'client' | 'deferred' | 'server';
}

/** What one session declared and used: tool names as the client spelled them. */
export interface SessionTools {
  readonly declared: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
}

/** Everything that the rule looks at (RU1–RU7). */
export interface RuleInput {
  /** In the order of the request. */
  readonly tools: readonly DeclaredTool[];
  /** Names that this thread has used or loaded (RU1). */
  readonly usedInThread: ReadonlySet<string>;
  /** The tenant's other sessions, newest first by last activity (RU2). */
  readonly tenantSessions: readonly SessionTools[];
  /** The other sessions of this project, newest first by last activity (RU3). */
  readonly projectSessions: readonly SessionTools[];
  /** Names, `mcp__server` or a prefix ending in `*`, that are never deferred: the client's core tools and the account's `keep`. */
  readonly keep: readonly string[];
  /** The tool that `tool_choice` forces. */
  readonly forced: string | undefined;
  /** o200k tokens of the tool's declaration, counted on the client's own bytes; asked only where it decides. */
  readonly weigh: (name: string) => number;
}

/** Why a tool was deferred, or was not; several may hold, `decideDeferral` tells which one is named. */
export type RuleReason =
  | 'deferred'
  | 'used-in-thread'
  | 'too-few-sessions'
  | 'not-declared-lately'
  | 'used-lately'
  | 'used-in-project'
  | 'protected'
  | 'kept'
  | 'forced'
  | 'too-light'
  | 'last-loaded'
  | 'not-ours';

/** What the rule found: the same for the same input, whatever the order of its sets (RU8). */
export interface RuleDecision {
  /** Units to defer, sorted: a tool's name, or `mcp__server`. */
  readonly units: readonly string[];
  /** Their tools in this request, sorted. */
  readonly tools: readonly string[];
  /** One for each declared tool. */
  readonly reasons: ReadonlyMap<string, RuleReason>;
}

/**
 * Decides which tools of a thread's first request are deferred (RU1–RU8, RW4). Pure; never throws by itself.
 *
 * A kept unit is given the reason of the first rule that keeps it, in this order: `used-in-thread` (RU1);
 * `too-few-sessions`, `used-lately`, `not-declared-lately` (RU2); `used-in-project` (RU3); `protected`, `kept`,
 * `forced` (RU4); `too-light` (RU5); `last-loaded` (RW4). A server's tools all carry their unit's reason.
 * Tools that are `not-ours` are outside of it: they neither keep a unit nor join one (RU7).
 *
 * Names in `tools` must be distinct.
 */
export function decideDeferral(input: RuleInput): RuleDecision {
  const clientTools = input.tools.filter((tool) => tool.kind === 'client').map((tool) => tool.name);
  const judge = createJudge(input);
  const judged = groupByUnit(clientTools).map((unit) => ({ unit, reason: judge(unit) }));
  const verdicts = keepOneLoaded(judged, clientTools.at(-1));
  const deferred = verdicts.filter(({ reason }) => reason === 'deferred').map(({ unit }) => unit);
  return {
    units: [...new Set(deferred.map((unit) => unit.name))].toSorted(),
    tools: deferred.flatMap((unit) => unit.tools).toSorted(),
    reasons: reasonsByTool(input.tools, verdicts),
  };
}

interface Verdict {
  readonly unit: Unit;
  readonly reason: RuleReason;
}

/** RU1 to RU5 for one unit at a time; what all units share is worked out once. */
function createJudge(input: RuleInput): (unit: Unit) => RuleReason {
  const lately = input.tenantSessions.slice(0, tenantSessionCount);
  const declaredLately = lately.map(createDeclaredTest);
  const usedInThread = unitNamesOf([input.usedInThread]);
  const usedLately = unitsUsedIn(lately);
  const usedInProject = unitsUsedIn(input.projectSessions.slice(0, projectSessionCount));
  const isProtected = createUnitMatcher(protectedTools);
  const isKept = createUnitMatcher(input.keep);
  const { forced, weigh } = input;

  return (unit) => {
    if (hasUnit(usedInThread, unit)) return 'used-in-thread';
    if (lately.length < tenantSessionCount) return 'too-few-sessions';
    if (hasUnit(usedLately, unit)) return 'used-lately';
    if (!declaredLately.every((isDeclared) => isDeclared(unit))) return 'not-declared-lately';
    if (hasUnit(usedInProject, unit)) return 'used-in-project';
    if (isProtected(unit)) return 'protected';
    if (isKept(unit)) return 'kept';
    if (forced !== undefined && unit.tools.includes(forced)) return 'forced';
    return isHeavy(unit, weigh) ? 'deferred' : 'too-light';
  };
}

function unitsUsedIn(sessions: readonly SessionTools[]): UnitNames {
  return unitNamesOf(sessions.map((session) => session.used));
}

/**
 * Whether a session declared a unit. A server may have been declared with none of today's tools (RU6): only that
 * question needs the servers of all declared names, so they are not collected before it comes.
 */
function createDeclaredTest(session: SessionTools): (unit: Unit) => boolean {
  let servers: ReadonlySet<string> | undefined;
  return (unit) => {
    if (unit.tools.some((tool) => session.declared.has(tool))) return true;
    if (!unit.isServer) return false;
    servers ??= serversAmong(session.declared);
    return servers.has(unit.name);
  };
}

/** RU5, and RU6: the tools of a unit are weighed together. Weighing stops where the answer is known. */
function isHeavy(unit: Unit, weigh: RuleInput['weigh']): boolean {
  let weight = 0;
  for (const tool of unit.tools) {
    weight += weigh(tool);
    if (weight >= minimumWeight) return true;
  }
  return false;
}

/** RW4: where every unit would be deferred, the one that holds the last tool of the list stays. */
function keepOneLoaded(verdicts: readonly Verdict[], lastTool: string | undefined): readonly Verdict[] {
  if (verdicts.some(({ reason }) => reason !== 'deferred')) return verdicts;
  return verdicts.map((verdict) =>
    verdict.unit.tools.at(-1) === lastTool ? { ...verdict, reason: 'last-loaded' } : verdict,
  );
}

function reasonsByTool(
  tools: readonly DeclaredTool[],
  verdicts: readonly Verdict[],
): ReadonlyMap<string, RuleReason> {
  const reasons = new Map<string, RuleReason>();
  for (const tool of tools) reasons.set(tool.name, 'not-ours');
  for (const { unit, reason } of verdicts) {
    for (const tool of unit.tools) reasons.set(tool, reason);
  }
  return reasons;
}
