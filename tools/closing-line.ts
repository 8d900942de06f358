import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with the seed of its order and the line `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const testModule of modules) {
      for (const test of testModule.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state] += 1;
      }
      // A file that does not load has no tests to count, and is a failure all the same.
      if (testModule.state() === 'failed' && testModule.children.size === 0) count.failed += 1;
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    process.stdout.write(`order seed: ${process.env['QM_TEST_SEED'] ?? 'see above'}\n`);
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }
}
