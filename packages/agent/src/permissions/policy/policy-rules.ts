import type { z } from 'zod';
import { answerKeys } from './policy-schema.ts';
import type { policyRuleSchema } from './policy-schema.ts';
import type { PermissionRule, RulePlace, RuleSource } from '../rule.ts';

/** Whose rules they are, and where each of them stands. */
export interface RuleOrigin {
  readonly source: RuleSource;
  readonly placeOf: (index: number) => RulePlace;
}

/** The rules that a file lists, and what is wrong with those that are none: one line each, with file and line. */
export function readRules(
  entries: readonly z.output<typeof policyRuleSchema>[],
  { source, placeOf }: RuleOrigin,
): { readonly rules: readonly PermissionRule[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const rules = entries.flatMap((entry, index): readonly PermissionRule[] => {
    const place = placeOf(index);
    const [answer, ...more] = answerKeys.filter((key) => entry[key] !== undefined);
    const capability = answer && entry[answer];
    if (answer === undefined || capability === undefined || more.length > 0) {
      faults.push(`${place.file}:${place.line}: expected exactly one of allow, ask and deny in a rule.`);
      return [];
    }
    const because = entry.because === undefined ? {} : { because: entry.because };
    return [{ answer, capability, target: entry.target, source, place, ...because }];
  });
  return { rules, faults };
}
