import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { inject, test } from 'vitest';
import { checkLaws } from './laws/check.ts';
import { openGround } from './laws/ground.ts';

const runs = 10_000;
const measured = new URL('../../../docs/measured/', import.meta.url);

test('laws 1 to 7: hold in 10,000 random runs', async () => {
  const seed = inject('seed');
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const startedAtMs = performance.now();
  await using ground = await openGround();
  const tally = await checkLaws(ground, { runs, seed });
  const counts = Object.fromEntries([...tally].toSorted(([left], [right]) => (left < right ? -1 : 1)));
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  await mkdir(measured, { recursive: true });
  const page = { commit, seed, runs, seconds, counts };
  await writeFile(new URL('laws.json', measured), `${JSON.stringify(page, null, 2)}\n`);
});
