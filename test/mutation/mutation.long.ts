import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, inject, test } from 'vitest';
import { runProgram } from '../clients/run-program.ts';
import { root } from '../tree.ts';
import { tallyMutants } from './report.ts';
import type { JudgedMutant } from './run-mutants.ts';

/** Sources whose tests are held to it, by prefix. */
const areas = [
  'packages/agent/src/graph/',
  'packages/agent/src/models/',
  'packages/agent/src/permissions/',
  'packages/agent/src/services/',
  'packages/agent/src/settings/',
  'packages/agent/src/skills/',
  'packages/agent/src/tools/',
  'packages/providers/src/',
];
const leastScore = 90;
const deadlineMs = 2 * 3_600_000;

test(`of all mutants of each area the tests notice ${leastScore} %`, { timeout: deadlineMs }, async () => {
  const seed = inject('seed');
  const main = path.join(import.meta.dirname, 'main.ts');
  const outcome = await runProgram(process.execPath, ['--conditions=quartermaster-source', main, ...areas], {
    folder: root,
    // A test run in a test run: what vitest tells its own workers is not for the inner one.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], QM_TEST_SEED: String(seed) },
    deadlineMs,
  });
  expect(outcome.exitCode, outcome.stdout + outcome.stderr).toBe(0);
  const mutants: readonly JudgedMutant[] = JSON.parse(
    await readFile(path.join(root, '.cache/mutation/mutants.json'), 'utf8'),
  );
  const byArea = Object.fromEntries(
    areas.map((area) => [
      area,
      tallyMutants(mutants.filter(({ fileName }) => fileName.startsWith(path.join(root, area)))),
    ]),
  );
  for (const [area, { score }] of Object.entries(byArea)) {
    expect(score, `${area}; its survivors are in .cache/mutation/survivors.txt`).toBeGreaterThanOrEqual(
      leastScore,
    );
  }
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const page = { commit, date, seed, all: tallyMutants(mutants), areas: byArea };
  const measured = new URL('../../docs/measured/mutation.json', import.meta.url);
  await writeFile(measured, `${JSON.stringify(page, null, 2)}\n`);
});
