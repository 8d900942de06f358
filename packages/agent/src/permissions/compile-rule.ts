import { strength } from './decision.ts';
import { compilePathPattern } from './path/path-pattern.ts';
import type { PathSurroundings } from './path/path-surroundings.ts';
import type { Certainty, Pattern } from './pattern.ts';
import type { PermissionRule } from './rule.ts';
import { compileCommandPattern } from './shell/command-pattern.ts';
import { isCapability, kindOfCapability } from './target.ts';
import type { Target } from './target.ts';
import { compileUrlPattern } from './url/url-pattern.ts';
import { compileWildcard } from './wildcard.ts';

/** A rule that is ready to be asked. */
export interface CompiledRule {
  readonly rule: PermissionRule;
  readonly covers: (capability: string) => boolean;
  readonly match: (target: Target) => Certainty;
}

/** The rule, or why it can't be one. */
export type RuleReading =
  | { readonly type: 'rule'; readonly compiled: CompiledRule }
  | { readonly type: 'refused'; readonly reason: string };

/** Compiles the patterns of a rule; a path's beginning is canonicalised now. */
export function compileRule(rule: PermissionRule, surroundings: PathSurroundings): RuleReading {
  if (!Object.hasOwn(strength, rule.answer))
    return refuse(`"${rule.answer}" is no answer; expected allow, ask or deny`);
  const covers = compileCapability(rule.capability);
  if (covers === undefined) {
    return refuse(
      `"${rule.capability}" is no capability; expected one such as filesystem.write, filesystem.* or *`,
    );
  }
  if (rule.target === '*') return { type: 'rule', compiled: { rule, covers, match: () => 'yes' } };
  if (rule.capability === '*' || rule.capability === 'shell.*') {
    return refuse(`a target needs one kind of capability, ${rule.capability} has several; use target: '*'`);
  }
  const pattern = compileTarget(rule, surroundings);
  if (pattern.type === 'refused')
    return refuse(`the target "${rule.target}" can't be matched: ${pattern.reason}`);
  return { type: 'rule', compiled: { rule, covers, match: pattern.match } };
}

/** A test of capabilities against `filesystem.write`, `filesystem.*` or `*`; `undefined` for what is none of these. */
export function compileCapability(pattern: string): ((capability: string) => boolean) | undefined {
  if (pattern === '*') return () => true;
  if (isCapability(pattern)) return (capability) => capability === pattern;
  const namespace = pattern.slice(0, -1);
  const isNamespace = pattern.endsWith('.*') && isCapability(namespace.slice(0, -1));
  return isNamespace ? (capability) => capability.startsWith(namespace) : undefined;
}

/** What is matched is a target of the rule's kind; one of another kind may be anything. */
function compileTarget(rule: PermissionRule, surroundings: PathSurroundings): Pattern<Target> {
  if (rule.target.trim() === '') return { type: 'refused', reason: 'it is empty' };
  switch (kindOfCapability(rule.capability)) {
    case 'path': {
      const pattern = compilePathPattern(rule.target, surroundings);
      if (pattern.type === 'refused') return pattern;
      const { match } = pattern;
      return { type: 'pattern', match: (target) => (target.type === 'path' ? match(target.path) : 'maybe') };
    }
    case 'url': {
      const pattern = compileUrlPattern(rule.target, rule.answer);
      if (pattern.type === 'refused') return pattern;
      const { match } = pattern;
      return { type: 'pattern', match: (target) => (target.type === 'url' ? match(target.url) : 'maybe') };
    }
    case 'command': {
      const pattern = compileCommandPattern(rule.target, rule.answer);
      if (pattern.type === 'refused') return pattern;
      const { match } = pattern;
      return {
        type: 'pattern',
        match: (target) => (target.type === 'command' ? match(target.command) : 'maybe'),
      };
    }
    case 'text': {
      const matches = compileWildcard(rule.target);
      const match = (text: string): Certainty => (matches(text) ? 'yes' : 'no');
      return { type: 'pattern', match: (target) => (target.type === 'text' ? match(target.text) : 'maybe') };
    }
  }
}

function refuse(reason: string): RuleReading {
  return { type: 'refused', reason };
}
