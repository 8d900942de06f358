import type { Mutant } from './mutant.ts';

const rule = 'packages/deferral/src/rule.ts';
const ruleTest = 'packages/deferral/test/rule.test.ts';

/** Of the rule and the placement. */
export const deferralMutants: readonly Mutant[] = [
  {
    name: 'never-defer list ignored',
    file: rule,
    find: "if (isProtected(unit)) return 'protected';",
    replace: '',
    killedBy: { file: ruleTest, test: 'RU4' },
  },
  {
    name: '200-token gate 0',
    file: rule,
    find: 'if (weight >= minimumWeight) return true;',
    replace: 'if (weight >= 0) return true;',
    killedBy: { file: ruleTest, test: 'RU5' },
  },
  {
    name: 'last-loaded guard removed',
    file: rule,
    find: "if (verdicts.some(({ reason }) => reason !== 'deferred')) return verdicts;",
    replace: 'return verdicts;',
    killedBy: { file: ruleTest, test: 'RW4' },
  },
  {
    name: 'MCP decided per tool',
    file: 'packages/deferral/src/unit.ts',
    find: 'return hasServer && hasTool ? name.slice(0, end) : undefined;',
    replace: 'return hasServer && hasTool ? name : undefined;',
    killedBy: { file: ruleTest, test: 'RU6' },
  },
  {
    name: "a use of the server's other tool ignored",
    file: rule,
    find: "if (hasUnit(usedLately, unit)) return 'used-lately';",
    replace:
      "if (unit.tools.some((tool) => lately.some(({ used }) => used.has(tool)))) return 'used-lately';",
    killedBy: { file: ruleTest, test: 'RU6' },
  },
];
