import path from 'node:path';
import process from 'node:process';
import { createVitest } from 'vitest/node';
import { applyMutant } from '../../tools/mutation.ts';
import { mutants } from './all.ts';
import type { Mutant } from './mutant.ts';

// node test/mutants/judge.ts INDEX…: runs the named test of each mutant with that mutant in place, one after the other in
// one warm Vitest, and prints a line of JSON for each: its name and the outcomes of the tests that were meant to notice.

const root = path.resolve(import.meta.dirname, '../..');
let current: Mutant | undefined;

const vitest = await createVitest(
  'test',
  // What a mutated file leaves in the cache of transformed ones would be found by other runs.
  { root, watch: false, fsModuleCache: false, reporters: [{}] },
  {
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        transform: (code, id) =>
          current !== undefined && id.split('?', 1)[0] === path.join(root, current.file)
            ? { code: applyMutant(code, current), map: null }
            : undefined,
      },
    ],
  },
);

for (const index of process.argv.slice(2)) {
  const mutant = mutants[Number(index)];
  if (mutant === undefined) continue;
  const outcomes = await judge(mutant);
  process.stdout.write(`${JSON.stringify({ name: mutant.name, outcomes })}\n`);
}
await vitest.close();
// Vitest sets it for the tests that mutants failed.
process.exit(0);

async function judge(mutant: Mutant): Promise<readonly string[]> {
  const { file, killedBy } = mutant;
  current = mutant;
  vitest.invalidateFile(path.join(root, file));
  vitest.setGlobalTestNamePattern(new RegExp(killedBy.test.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const specifications = await vitest.globTestSpecifications([path.join(root, killedBy.file)]);
  const { testModules } = await vitest.runTestSpecifications(specifications);
  current = undefined;
  vitest.invalidateFile(path.join(root, file));
  return testModules
    .flatMap((module) => [...module.children.allTests()])
    .filter(({ name }) => name.startsWith(killedBy.test))
    .map((test) => test.result().state);
}
