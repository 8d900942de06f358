import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutants } from './all.ts';
import type { Mutant } from './mutant.ts';

const root = path.resolve(fileURLToPath(import.meta.url), '../../..');

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** The outcome of each test of the file that was meant to notice, with the mutant in place. */
async function runAgainst({ name, killedBy }: Mutant): Promise<{ title: string; status: string }[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-mutant-'));
  const output = path.join(folder, 'report.json');
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const pattern = killedBy.test.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const options = ['--reporter=json', `--outputFile=${output}`, '-t', pattern];
  const child = spawn(process.execPath, [vitest, 'run', killedBy.file, ...options], {
    cwd: root,
    env: { ...process.env, QM_MUTANT: name, QM_TEST_TIER: 'quick' },
    stdio: 'ignore',
  });
  await new Promise((resolve) => child.once('close', resolve));
  const report = JSON.parse(await readFile(output, 'utf8')) as Report;
  await rm(folder, { recursive: true });
  return report.testResults.flatMap(({ assertionResults }) => assertionResults);
}

// Each has a process of its own; vitest.config.ts says how many run at once.
test.concurrent.each(mutants)(
  'mutant "$name" is killed by a test of its rule',
  { timeout: 180_000 },
  async (mutant) => {
    const outcomes = await runAgainst(mutant);
    const wanted = outcomes.filter(({ title }) => title.startsWith(mutant.killedBy.test));
    expect(wanted.map(({ status }) => status)).toContain('failed');
  },
);

test('the names of mutants are unique', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
