import { AgentError } from '../agent-error.ts';

/** What programs need to be found and to print right. Everything else of ours may be a secret (case 139). */
const safeNames = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'SYSTEMROOT', 'PATHEXT'];

/**
 * The environment of a program that this process starts: the safe names, those that were declared, and nothing more.
 * Throws `AgentError` for a declared one that is not set: a program must not run half configured (case 139).
 */
export function scrubEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  declared: readonly string[],
): Record<string, string> {
  const missing = declared.filter((name) => environment[name] === undefined);
  if (missing.length > 0) {
    throw new AgentError(
      'SERVICE_FAILED',
      `Expected the declared environment variables to be set; missing: ${missing.join(', ')}.`,
    );
  }
  return Object.fromEntries(
    [...safeNames, ...declared].flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
