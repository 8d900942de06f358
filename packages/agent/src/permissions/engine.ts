import type { Capabilities } from '../tools/tool.ts';
import type { CompiledRule } from './compile-rule.ts';
import { compileRules } from './compile-rules.ts';
import { decideBy, joinDecisions } from './decision.ts';
import type { PermissionDecision, PermissionFinding } from './decision.ts';
import type { PathSurroundings } from './path/path-surroundings.ts';
import { judge } from './judge.ts';
import { listRequirements } from './requirement.ts';
import type { Requirement } from './requirement.ts';
import type { PermissionAnswer, PermissionRule } from './rule.ts';

/** A call as the engine judges it. */
export interface PermissionCall {
  /** The tool's name, for explanations only: it decides nothing. */
  readonly tool: string;
  /** `undefined`: nothing was declared, and nothing is allowed (P2). */
  readonly capabilities: Capabilities | undefined;
  /** The arguments as the tool gets them. */
  readonly input: unknown;
}

/** What an engine goes by. */
export interface PermissionEngineOptions {
  readonly rules: readonly PermissionRule[];
  readonly surroundings: PathSurroundings;
  /** Whether the user has trusted the project's folder; asked at each decision (P4). */
  readonly isProjectTrusted: () => boolean;
}

/** Judges calls by rules. */
export interface PermissionEngine {
  /** What can't be judged is denied; a command line that can't be read is asked about (P5). */
  decide(call: PermissionCall): PermissionDecision;
  /** Rules that hold from now on, in this engine and in those narrowed from it. Throws `POLICY_INVALID`. */
  addRules(rules: readonly PermissionRule[]): void;
  /** An engine for a sub-agent: what this one answers, or something stricter (P8). Throws `POLICY_INVALID`. */
  narrow(options: NarrowOptions): PermissionEngine;
}

/** A sub-agent's own configuration. */
export interface NarrowOptions {
  readonly rules: readonly PermissionRule[];
  /** What it says of a call that none of its own rules cover. Default: `inherit`, what the parent says. */
  readonly unmatched?: 'inherit' | 'ask' | 'deny';
}

/** Makes an engine. Throws `POLICY_INVALID` where a rule can't be what was meant. */
export function createPermissionEngine(options: PermissionEngineOptions): PermissionEngine {
  return createEngine(options, { unmatched: 'ask' });
}

interface Rank {
  readonly unmatched: PermissionAnswer;
  readonly parent?: PermissionEngine;
}

function createEngine(options: PermissionEngineOptions, { unmatched, parent }: Rank): PermissionEngine {
  const { surroundings } = options;
  let rules = options.rules;
  let compiled = compileRules(rules, surroundings);
  const byCapability = new Map<string, readonly CompiledRule[]>();

  const rulesFor = (capability: string): readonly CompiledRule[] => {
    const known = byCapability.get(capability);
    if (known !== undefined) return known;
    const covering = compiled.filter(({ covers }) => covers(capability));
    byCapability.set(capability, covering);
    return covering;
  };
  const decideAlone = ({ tool, capabilities, input }: PermissionCall): PermissionDecision => {
    if (capabilities === 'exempt') return decideBy(tool, [exemption]);
    if (capabilities === undefined || capabilities.length === 0) return decideBy(tool, [undeclared]);
    const isTrusted = options.isProjectTrusted();
    const requirements = listRequirements(capabilities, input, surroundings);
    return decideBy(
      tool,
      requirements.map((each) =>
        each.type === 'unclear'
          ? findUnclear(each)
          : judge(each, rulesFor(each.capability), { unmatched, isTrusted }),
      ),
    );
  };
  const engine: PermissionEngine = {
    decide(call) {
      const alone = decideAlone(call);
      return parent === undefined ? alone : joinDecisions(call.tool, [parent.decide(call), alone]);
    },
    addRules(added) {
      compiled = compileRules([...rules, ...added], surroundings);
      rules = [...rules, ...added];
      byCapability.clear();
    },
    narrow(narrower) {
      const own = { ...options, rules: narrower.rules };
      const { unmatched: answer = 'inherit' } = narrower;
      // Not `this`: a method that somebody took off its object would narrow nothing, and then all would be allowed.
      return createEngine(own, { unmatched: answer === 'inherit' ? 'allow' : answer, parent: engine });
    },
  };
  return engine;
}

const exemption: PermissionFinding = {
  answer: 'allow',
  capability: 'exempt',
  target: '',
  note: 'the tool declares that it needs no permission',
};

const undeclared: PermissionFinding = {
  answer: 'deny',
  capability: 'unknown',
  target: '',
  note: 'the tool declares no capabilities, so nobody can judge what it does; declare them, or exempt it',
};

function findUnclear({
  answer,
  capability,
  shown,
  reason,
}: Requirement & { type: 'unclear' }): PermissionFinding {
  return { answer, capability, target: shown, note: reason };
}
