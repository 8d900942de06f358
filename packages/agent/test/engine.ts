import { createPermissionEngine } from '@quartermaster/agent/permissions';
import type {
  PathSurroundings,
  PermissionDecision,
  PermissionEngine,
  PermissionRule,
} from '@quartermaster/agent/permissions';

/** A rule in the words of a policy: `allow shell.run: git *`; the user's unless said otherwise. */
export function rule(text: string, changes: Partial<PermissionRule> = {}): PermissionRule {
  const [, answer, capability = '', target = '*'] = /^(\w+) (\S+?)(?:: (.*))?$/s.exec(text) ?? [];
  if (answer !== 'allow' && answer !== 'ask' && answer !== 'deny') throw new Error(`no rule: ${text}`);
  return { answer, capability, target, source: 'user', ...changes };
}

function surroundingsOf(changes: Partial<PathSurroundings> = {}): PathSurroundings {
  return {
    platform: 'posix',
    isCaseSensitive: true,
    workspace: '/work/space',
    home: '/home/ann',
    readLink: () => undefined,
    ...changes,
  };
}

export function engineOf(
  rules: readonly (string | PermissionRule)[],
  changes: Partial<PathSurroundings> & { readonly isTrusted?: boolean } = {},
): PermissionEngine {
  return createPermissionEngine({
    rules: rules.map((each) => (typeof each === 'string' ? rule(each) : each)),
    surroundings: surroundingsOf(changes),
    isProjectTrusted: () => changes.isTrusted ?? true,
  });
}

/** What the engine says of one capability on one target. */
export function decideOn(engine: PermissionEngine, capability: string, target: unknown): PermissionDecision {
  return engine.decide({
    tool: 'probe',
    capabilities: [{ capability, target: { argument: 'target' } }],
    input: { target },
  });
}
