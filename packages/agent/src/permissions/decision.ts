import type { PermissionAnswer, PermissionRule } from './rule.ts';
import { formatRule } from './rule.ts';

/** Why one thing that a call does is allowed, asked about or denied. */
export interface PermissionFinding {
  readonly answer: PermissionAnswer;
  readonly capability: string;
  /** What it is used on, canonical; never a URL's credentials. */
  readonly target: string;
  /** The rule that decided; absent where none did. */
  readonly rule?: PermissionRule;
  /** What there is to say beside the rule. */
  readonly note?: string;
}

/** What the engine says of a call, and why. */
export type PermissionDecision =
  | { readonly type: 'allow'; readonly findings: readonly PermissionFinding[] }
  | { readonly type: 'deny'; readonly reason: string; readonly findings: readonly PermissionFinding[] }
  | { readonly type: 'ask'; readonly question: string; readonly findings: readonly PermissionFinding[] };

/** Deny beats ask beats allow (P3). */
export const strength: Readonly<Record<PermissionAnswer, number>> = { allow: 0, ask: 1, deny: 2 };

/** Whether the one beats the other. */
export function isStricter(answer: PermissionAnswer, than: PermissionAnswer): boolean {
  return strength[answer] > strength[than];
}

/**
 * The strictest of the findings decides. None at all is a call that nobody has judged, and denied (P2); so is what is
 * neither allowed nor asked about, whatever else it says.
 */
export function decideBy(tool: string, findings: readonly PermissionFinding[]): PermissionDecision {
  const decisive = findings.filter(({ answer }) => answer !== 'allow' && answer !== 'ask');
  if (findings.length === 0 || decisive.length > 0) {
    const said = decisive.map(explainFinding).join('; ');
    return { type: 'deny', reason: `${tool} may not run: ${said || 'nothing of it was judged'}.`, findings };
  }
  const open = findings.filter(({ answer }) => answer === 'ask');
  if (open.length === 0) return { type: 'allow', findings };
  const question = `May ${tool} use ${open.map(explainFinding).join('; and ')}?`;
  return { type: 'ask', question, findings };
}

/** The strictest of several decisions on one call, with the findings of all. */
export function joinDecisions(tool: string, decisions: readonly PermissionDecision[]): PermissionDecision {
  return decideBy(
    tool,
    decisions.flatMap(({ findings }) => findings),
  );
}

/** For people: `filesystem.write /etc/hosts (user rule "deny …" (policy.yaml:4))`. */
export function explainFinding({ capability, target, rule, note }: PermissionFinding): string {
  const reasons = [rule && formatRule(rule), note].filter((text) => text !== undefined);
  return `${capability} ${target}${reasons.length === 0 ? '' : ` (${reasons.join('; ')})`}`;
}
