import { AgentError } from '../../agent-error.ts';
import { readStrictYaml } from '../../settings/strict-yaml.ts';
import type { YamlFile } from '../../settings/strict-yaml.ts';
import { policySchema } from './policy-schema.ts';
import { readRules } from './policy-rules.ts';
import type { PermissionRule, RuleSource } from '../rule.ts';

/** The text of a policy file, YAML, and whose it is. */
export interface PolicyFile extends YamlFile {
  readonly source: Exclude<RuleSource, 'session'>;
}

/** The rules of a policy file, with their places. Throws `POLICY_INVALID` that names every fault by file and line (P4). */
export function parsePolicy({ source, ...file }: PolicyFile): readonly PermissionRule[] {
  const reading = readStrictYaml(policySchema, file);
  if (reading.type === 'refused') throw invalid(reading.faults);
  const { faults, rules } = readRules(reading.value.rules, {
    source,
    placeOf: (index) => ({ file: file.file, line: reading.lineOf(['rules', index]) }),
  });
  if (faults.length > 0) throw invalid(faults);
  return rules;
}

function invalid(faults: readonly string[]): AgentError {
  return new AgentError('POLICY_INVALID', faults.join('\n'));
}
