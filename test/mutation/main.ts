import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { listFiles, root } from '../tree.ts';
import { listSurvivors } from './report.ts';
import { runMutants } from './run-mutants.ts';

// node --conditions=quartermaster-source test/mutation/main.ts packages/agent/src/graph …
const folder = path.join(root, '.cache/mutation');
const seed = Number(process.env['QM_TEST_SEED'] ?? Date.now() % 1_000_000);
const prefixes = process.argv.slice(2);
const sources = listFiles().filter((file) => prefixes.some((prefix) => file.startsWith(prefix)));

mkdirSync(folder, { recursive: true });
// A mutant may write where it was not meant to.
process.chdir(folder);
const mutants = await runMutants({
  sources,
  tests: ['packages/agent/test', 'packages/providers/test/listers.test.ts'],
  seed,
  folder,
  log: (text) => process.stdout.write(`${text}\n`),
});
writeFileSync(path.join(folder, 'mutants.json'), JSON.stringify(mutants));
writeFileSync(path.join(folder, 'survivors.txt'), listSurvivors(mutants));
// Vitest sets it for the tests that mutants failed.
process.exitCode = 0;
process.stdout.write(`Survivors are in ${path.join(folder, 'survivors.txt')}; QM_TEST_SEED=${seed}\n`);
