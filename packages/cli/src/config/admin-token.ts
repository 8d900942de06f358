import type { Problem } from './entry.ts';
import type { Environment } from './interpolate.ts';

/** The one secret among the settings, and the only place that it may come from. */
export const adminTokenVariable = 'QM_ADMIN_TOKEN';

/** The token without surrounding white space. An empty variable is refused with the others of the environment. */
export function readAdminToken(env: Environment): {
  readonly value: string | undefined;
  readonly problems: readonly Problem[];
} {
  const value = env[adminTokenVariable]?.trim();
  if (value === undefined || value === '') return { value: undefined, problems: [] };
  if (/^[\x21-\x7e]+$/.test(value)) return { value, problems: [] };
  const message =
    'expected a token of printable ASCII characters, came one with white space or others inside.';
  return {
    value: undefined,
    problems: [{ origin: { type: 'environment', variable: adminTokenVariable }, message }],
  };
}
