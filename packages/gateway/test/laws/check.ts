import fc from 'fast-check';
import type { Ground } from './ground.ts';
import { play } from './play.ts';
import { printScenario, scenario } from './scenario.ts';
import type { Tally } from './tally.ts';

/** How long a smaller counterexample is looked for: what is found by then is small enough to read. */
const shrinkMs = 20_000;

/** Plays `runs` random scenarios. Rejects with the smallest one found that breaks a law, and how to play it again. */
export async function checkLaws(
  ground: Ground,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<Tally> {
  const tally: Tally = new Map();
  let brokenAtMs = Infinity;
  const property = fc.asyncProperty(scenario, async (played) => {
    if (performance.now() - brokenAtMs > shrinkMs) return;
    try {
      await play(ground, played, tally);
    } catch (error) {
      brokenAtMs = Math.min(brokenAtMs, performance.now());
      throw error;
    }
  });
  const result = await fc.check(property, { seed, numRuns: runs });
  if (!result.failed) return tally;
  const [broken] = result.counterexample ?? [];
  const story = broken === undefined ? 'no scenario was found' : printScenario(broken);
  const cause = result.errorInstance;
  const what = cause instanceof Error ? cause.message : String(cause);
  throw new Error(`QM_TEST_SEED=${seed}, path ${result.counterexamplePath}: ${what}\n${story}`, { cause });
}
