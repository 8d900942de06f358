import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { mutants } from './test/mutants/all.ts';
import { mutation } from './tools/mutation.ts';

const sourceCondition = 'quartermaster-source';
const tier = process.env['QM_TEST_TIER'] ?? 'quick';
const files: Record<string, string> = { quick: '*.test.ts', long: '*.long.ts', clients: '*.clients.ts' };
const seed = Number(process.env['QM_TEST_SEED'] ?? Date.now() % 1_000_000);
/** Set by test/mutants: the check that is taken out of the code for this run. */
const mutant = mutants.find(({ name }) => name === process.env['QM_MUTANT']);

export default defineConfig({
  plugins: mutant === undefined ? [] : [mutation(import.meta.dirname, mutant)],
  resolve: { conditions: [sourceCondition] },
  ssr: { resolve: { conditions: [sourceCondition], externalConditions: [sourceCondition] } },
  test: {
    // A mutated file must not be taken from, or left in, the cache of transformed ones.
    fsModuleCache: mutant === undefined,
    include: [`packages/*/test/**/${files[tier]}`, `test/**/${files[tier]}`],
    execArgv: [`--conditions=${sourceCondition}`],
    sequence: { shuffle: true, seed },
    maxConcurrency: 3,
    testTimeout: tier === 'quick' ? 20_000 : 1_800_000,
    hookTimeout: 60_000,
    reporters: ['default', './tools/closing-line.ts'],
    provide: { seed },
  },
});
