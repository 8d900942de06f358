import { nearestNames } from '../../nearest-names.ts';
import { compileCapability } from '../compile-rule.ts';
import { formatPlace } from '../rule.ts';
import type { PermissionRule } from '../rule.ts';
import { kindOfCapability } from '../target.ts';

/** What a command line needs beside the capability of its tool. */
const ofCommandLines = ['filesystem.read', 'filesystem.write', 'shell.environment'];

/**
 * Warnings about rules that no tool's capability falls under: misspelt ones, which guard nothing, and those of tools that
 * are not there (case 97). `capabilities` are those of all tools, MCP's included.
 */
export function warnOfUnusedRules(
  rules: readonly PermissionRule[],
  capabilities: readonly string[],
): readonly string[] {
  const hasCommandLines = capabilities.some((capability) => kindOfCapability(capability) === 'command');
  const known = [...new Set([...capabilities, ...(hasCommandLines ? ofCommandLines : [])])];
  return rules
    .filter(({ capability }) => !known.some(compileCapability(capability) ?? ((): boolean => false)))
    .map((rule) => {
      const [nearest] = nearestNames(rule.capability, known);
      const advice = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      return `${formatPlace(rule)}: no tool uses ${rule.capability}, so the rule never holds.${advice}`;
    });
}
