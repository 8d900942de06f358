import type { CompiledRule } from './compile-rule.ts';
import { isStricter } from './decision.ts';
import type { PermissionFinding } from './decision.ts';
import type { Certainty } from './pattern.ts';
import type { Requirement } from './requirement.ts';
import { formatPlace } from './rule.ts';
import type { PermissionAnswer, PermissionRule } from './rule.ts';
import { showTarget } from './target.ts';

/** What holds beside the rules. */
interface Circumstances {
  /** What is said of a target that no rule covers. */
  readonly unmatched: PermissionAnswer;
  readonly isTrusted: boolean;
}

/** The strictest of the rules that cover the target; the first of them in the order of sources explains it (P3). */
export function judge(
  { capability, target }: Requirement & { type: 'use' },
  rules: readonly CompiledRule[],
  { unmatched, isTrusted }: Circumstances,
): PermissionFinding {
  let strictest: Pick<PermissionFinding, 'answer' | 'rule' | 'note'> | undefined;
  let untrusted: PermissionRule | undefined;
  for (const { rule, match } of rules) {
    const answer = answerOf(rule, match(target));
    if (answer === undefined) continue;
    if (answer === 'allow' && rule.source === 'project' && !isTrusted) untrusted ??= rule;
    else if (strictest === undefined || isStricter(answer, strictest.answer)) {
      strictest = { answer, rule, ...(answer !== rule.answer && { note: 'which may cover it' }) };
    }
    if (answer === 'deny') break;
  }
  strictest ??= { answer: unmatched, note: noteUnmatched(unmatched, untrusted) };
  return { capability, target: showTarget(target), ...strictest };
}

/** An `allow` has to be certain; where another rule may hold, somebody has to be asked. */
function answerOf({ answer }: PermissionRule, certainty: Certainty): PermissionAnswer | undefined {
  if (certainty === 'yes') return answer;
  return certainty === 'no' || answer === 'allow' ? undefined : 'ask';
}

function noteUnmatched(unmatched: PermissionAnswer, untrusted: PermissionRule | undefined): string {
  if (untrusted !== undefined) {
    return `the project allows it at ${formatPlace(untrusted)}, which counts once you trust the folder`;
  }
  return unmatched === 'allow' ? 'the agent itself says nothing of it' : 'no rule covers it';
}
