import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, inject, test } from 'vitest';
import { runProgram } from '../clients/run-program.ts';
import { root } from '../tree.ts';
import { tallyMutants } from './report.ts';
import type { JudgedMutant } from './run-mutants.ts';

/** Sources whose tests are held to it, by how their paths begin. */
const areas: Readonly<Record<string, readonly string[]>> = {
  graph: ['packages/agent/src/graph/'],
  models: ['packages/agent/src/models/'],
  permissions: ['packages/agent/src/permissions/'],
  services: ['packages/agent/src/services/'],
  settings: ['packages/agent/src/settings/'],
  skills: ['packages/agent/src/skills/'],
  tools: ['packages/agent/src/tools/'],
  listers: [
    'packages/providers/src/anthropic-lister.ts',
    'packages/providers/src/google-lister.ts',
    'packages/providers/src/listing.ts',
    'packages/providers/src/model-providers.ts',
    'packages/providers/src/openai-lister.ts',
    'packages/providers/src/provider-error.ts',
  ],
};
const leastScore = 90;
/** A test run in a test run: what vitest tells its own workers is not for the inner one. */
const keptVariables = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'QM_CLIENT_CACHE'];
const deadlineMs = 2 * 3_600_000;

test(`of all mutants of each area the tests notice ${leastScore} %`, { timeout: deadlineMs }, async () => {
  const seed = inject('seed');
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const main = path.join(import.meta.dirname, 'main.ts');
  const outcome = await runProgram(
    process.execPath,
    ['--conditions=quartermaster-source', main, ...Object.values(areas).flat()],
    {
      folder: root,
      env: {
        ...Object.fromEntries(keptVariables.map((name) => [name, process.env[name]])),
        QM_TEST_SEED: String(seed),
      },
      deadlineMs,
    },
  );
  expect(outcome.exitCode, outcome.stdout + outcome.stderr).toBe(0);
  const mutants: readonly JudgedMutant[] = JSON.parse(
    await readFile(path.join(root, '.cache/mutation/mutants.json'), 'utf8'),
  );
  const byArea = Object.fromEntries(
    Object.entries(areas).map(([area, beginnings]) => [
      area,
      tallyMutants(
        mutants.filter(({ fileName }) =>
          beginnings.some((each) => fileName.startsWith(path.join(root, each))),
        ),
      ),
    ]),
  );
  for (const [area, { score }] of Object.entries(byArea)) {
    expect(score, `${area}; its survivors are in .cache/mutation/survivors.txt`).toBeGreaterThanOrEqual(
      leastScore,
    );
  }
  const date = new Date().toISOString().slice(0, 10);
  const page = { commit, date, seed, all: tallyMutants(mutants), areas: byArea };
  const measured = new URL('../../docs/measured/mutation.json', import.meta.url);
  await writeFile(measured, `${JSON.stringify(page, null, 2)}\n`);
});
