/** What a rule or a decision says. */
export type PermissionAnswer = 'allow' | 'ask' | 'deny';

/** Who wrote a rule; the order is that of explanations, and of nothing else (P4). */
export type RuleSource = 'managed' | 'user' | 'project' | 'session';

/** Where a rule stands. The line counts from 1. */
export interface RulePlace {
  readonly file: string;
  readonly line: number;
}

/** One rule of a policy. */
export interface PermissionRule {
  readonly answer: PermissionAnswer;
  /** `filesystem.write`, all of a namespace (`filesystem.*`), or `*`. */
  readonly capability: string;
  /** A pattern in the words of the namespace: of paths, URLs, command lines or plain texts; `*` for any. */
  readonly target: string;
  readonly source: RuleSource;
  /** Absent where the rule was made by code or by an answer. */
  readonly place?: RulePlace;
  /** Why it is there; shown with each decision that it shapes. */
  readonly because?: string;
}

/** The order in which rules are looked at and explained. */
export const ruleSources: readonly RuleSource[] = ['managed', 'user', 'project', 'session'];

/** For people: `user rule "deny shell.run: rm *" (policy.yaml:4)`. */
export function formatRule(rule: PermissionRule): string {
  const because = rule.because === undefined ? '' : `, because ${rule.because}`;
  return `${rule.source} rule "${rule.answer} ${rule.capability}: ${rule.target}" (${formatPlace(rule)}${because})`;
}

/** For people: `policy.yaml:4`, or who made the rule where no file holds it. */
export function formatPlace({ place, source }: PermissionRule): string {
  return place === undefined ? `set for the ${source}` : `${place.file}:${place.line}`;
}
