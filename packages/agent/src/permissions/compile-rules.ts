import { AgentError } from '../agent-error.ts';
import { compileRule } from './compile-rule.ts';
import type { CompiledRule } from './compile-rule.ts';
import type { PathSurroundings } from './path/path-surroundings.ts';
import { formatPlace, ruleSources } from './rule.ts';
import type { PermissionRule } from './rule.ts';

/**
 * Compiles all rules, in the order of their sources. Throws `POLICY_INVALID` with every fault: patterns that match
 * nothing that was meant, and one rule given twice in one source with different answers (P3).
 */
export function compileRules(
  rules: readonly PermissionRule[],
  surroundings: PathSurroundings,
): readonly CompiledRule[] {
  const faults = [...findSourceless(rules), ...findContradictions(rules)];
  const compiled: CompiledRule[] = [];
  for (const source of ruleSources) {
    for (const rule of rules.filter((each) => each.source === source)) {
      const reading = compileRule(rule, surroundings);
      if (reading.type === 'rule') compiled.push(reading.compiled);
      else faults.push(`${formatPlace(rule)}: ${reading.reason}.`);
    }
  }
  if (faults.length > 0) throw new AgentError('POLICY_INVALID', faults.join('\n'));
  return compiled;
}

/** Types are not enough: a rule of no known source would be left out, a deny like an allow. */
function findSourceless(rules: readonly PermissionRule[]): string[] {
  return rules
    .filter(({ source }) => !ruleSources.includes(source))
    .map(
      (rule) => `${formatPlace(rule)}: "${rule.source}" is no source; expected ${ruleSources.join(', ')}.`,
    );
}

function findContradictions(rules: readonly PermissionRule[]): string[] {
  const first = new Map<string, PermissionRule>();
  const faults: string[] = [];
  for (const rule of rules) {
    const key = JSON.stringify([rule.source, rule.capability, rule.target]);
    const other = first.get(key);
    if (other === undefined) first.set(key, rule);
    else if (other.answer !== rule.answer) {
      faults.push(
        `${formatPlace(rule)}: "${rule.answer} ${rule.capability}: ${rule.target}" contradicts "${other.answer}" for ` +
          `the same at ${formatPlace(other)}; keep one of them.`,
      );
    }
  }
  return faults;
}
