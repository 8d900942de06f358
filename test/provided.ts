import 'vitest';

declare module 'vitest' {
  /** What vitest.config.ts hands to every test by `inject`. */
  export interface ProvidedContext {
    /** Seeds the order of the tests and every property test; a run prints it, `QM_TEST_SEED` sets it. */
    seed: number;
  }
}
