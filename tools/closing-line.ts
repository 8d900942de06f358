import process from 'node:process';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

/** Ends a run with the seed of its order and the line `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  #seed = 0;

  onInit(vitest: Vitest): void {
    this.#seed = vitest.config.sequence.seed;
  }

  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: strayErrors.length, skipped: 0 };
    for (const testModule of modules) {
      for (const test of testModule.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state] += 1;
      }
      // A file that does not load and a hook that throws leave no failed test behind, and are failures all the same.
      for (const suite of [testModule, ...testModule.children.allSuites()]) {
        count.failed += suite.errors().length;
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    process.stdout.write(`Again in this order: QM_TEST_SEED=${this.#seed} npm test\n`);
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }
}
