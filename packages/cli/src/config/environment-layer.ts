import { adminTokenVariable } from './admin-token.ts';
import { readText, type Entry, type Layer, type Problem } from './entry.ts';
import type { Environment } from './interpolate.ts';
import { findNearest } from './nearest.ts';
import type { Settings } from './settings.ts';

/** Variables of our own tests, bench and tools, which `qm` itself does not read. */
const foreign = /^QM_(TEST_\w+|CLIENT_CACHE|SPEC)$/;

/** Reads `QM_*`. Unknown variables are warned of, with the nearest known one (case 107). */
export function readEnvironmentLayer(env: Environment, settings: Settings): Layer {
  const entries: Entry[] = [];
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const known = [...settings.all.map(({ variable }) => variable), adminTokenVariable];
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('QM_') || foreign.test(variable) || text === undefined) continue;
    const setting = settings.all.find((candidate) => candidate.variable === variable);
    const origin = { type: 'environment', variable } as const;
    if (!known.includes(variable)) {
      const nearest = findNearest(
        variable.slice(3),
        known.map((name) => name.slice(3)),
      );
      const advice = nearest === undefined ? 'qm config lists what there is' : `did you mean QM_${nearest}?`;
      warnings.push(`${variable} is set, but there is no such setting; ${advice}`);
    } else if (text.trim() === '') {
      problems.push({
        origin,
        message: 'expected a value, came an empty text. Unset the variable or give it a value.',
      });
    } else if (setting !== undefined) {
      entries.push({ path: setting.path, value: readText(setting, text), origin });
    }
  }
  return { entries, problems, warnings };
}
