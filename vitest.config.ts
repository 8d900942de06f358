import process from 'node:process';
import { defineConfig } from 'vitest/config';

const sourceCondition = 'quartermaster-source';
const tier = process.env['QM_TEST_TIER'] ?? 'quick';
const files: Record<string, string> = { quick: '*.test.ts', long: '*.long.ts', clients: '*.clients.ts' };
const seed = Number(process.env['QM_TEST_SEED'] ?? Date.now() % 1_000_000);

export default defineConfig({
  resolve: { conditions: [sourceCondition] },
  ssr: { resolve: { conditions: [sourceCondition], externalConditions: [sourceCondition] } },
  test: {
    fsModuleCache: true,
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
