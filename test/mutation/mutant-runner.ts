import { TestRunner, inject } from 'vitest';
import type { RunnerTestCase, RunnerTestFile, TestRunnerConfig } from 'vitest';
import { killedIn, openLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { mutantSwitch } from './mutant-switch.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    mutation: MutationRun;
  }
}

/** What a test run is for. */
export interface MutationRun {
  /** The ledger's file. */
  readonly ledger: string;
  /** `quick`: all mutants, by the quick tests. `slow`: what they left, by the others. Or one mutant, by all tests. */
  readonly stage: 'quick' | 'slow' | { readonly mutant: string };
}

/** A test that takes longer waits until the others have killed what they can. */
const quickMs = 40;
/** Enough for any loop that ends. */
const leastHitLimit = 10_000;
/** A mutant may take so many times longer than the code as it is, and a while besides: as with Stryker. */
const slowness = 1.5;
const graceMs = 5_000;

type Run = () => unknown;

/**
 * Runs each test once as usual, and then with each of the mutants that it reached and no other test has killed: nothing
 * is loaded anew. A run of one mutant only puts it in place before anything is imported.
 */
export default class MutantRunner extends TestRunner {
  readonly #stage: MutationRun['stage'];
  readonly #ledger: Ledger;

  constructor(config: TestRunnerConfig) {
    super(config);
    const { ledger, stage } = inject('mutation');
    this.#stage = stage;
    this.#ledger = openLedger(ledger);
    const activeMutant = typeof stage === 'object' ? stage.mutant : undefined;
    Object.assign(mutantSwitch(), { activeMutant, hitCount: 0, hitLimit: leastHitLimit });
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run: Run = TestRunner.getTestFn(test);
    if (typeof this.#stage === 'object') return void (await run());
    const shared = mutantSwitch();
    shared.currentTestId = test.id;
    const startedMs = performance.now();
    await run();
    const tookMs = performance.now() - startedMs;
    shared.currentTestId = 'again';
    const isSlow =
      this.#stage === 'quick'
        ? tookMs > quickMs
        : this.#ledger.read().some((note) => note.type === 'slow' && note.test === test.id);
    if (isSlow === (this.#stage === 'slow')) {
      const reached = Object.entries(shared.mutantCoverage?.perTest[test.id] ?? {});
      await this.#runWithMutants(test, run, { reached, limitMs: graceMs + slowness * tookMs });
    } else if (isSlow) {
      this.#ledger.write({ type: 'slow', file: test.file.filepath, test: test.id });
    }
    shared.currentTestId = undefined;
  }

  async #runWithMutants(
    test: RunnerTestCase,
    run: Run,
    { reached, limitMs }: { reached: readonly [string, number][]; limitMs: number },
  ): Promise<void> {
    const killed = killedIn(this.#ledger.read());
    const left = reached.filter(([mutant]) => !killed.has(mutant));
    let isRepeatable = left.length === 0 || (await outcomeOf(run, limitMs)) === 'passed';
    for (const [index, [mutant, hits]] of left.entries()) {
      const outcome = isRepeatable ? await outcomeOf(run, limitMs, { mutant, hits }) : 'unknown';
      if (outcome === 'passed') continue;
      isRepeatable &&= (await outcomeOf(run, limitMs)) === 'passed';
      if (!isRepeatable) {
        // What one mutant left behind must not be laid to another one's account.
        this.#ledger.write({ type: 'doubtful', mutants: left.slice(index).map(([each]) => each) });
        return;
      }
      const { filepath } = test.file;
      const isLate = outcome === 'late';
      this.#ledger.write({ type: 'killed', mutant, file: filepath, test: test.name, isLate });
    }
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    if (typeof this.#stage === 'object') return;
    const { static: byImports = {}, perTest = {} } = mutantSwitch().mutantCoverage ?? {};
    const byTests = [...new Set(Object.values(perTest).flatMap((hits) => Object.keys(hits)))];
    for (const { filepath } of files) {
      this.#ledger.write({ type: 'reached', file: filepath, byTests, byImports: Object.keys(byImports) });
    }
  }
}

/** What comes of a test, with a mutant in place where one is given. */
async function outcomeOf(
  run: Run,
  limitMs: number,
  active?: { readonly mutant: string; readonly hits: number },
): Promise<'passed' | 'failed' | 'late'> {
  const hitLimit = Math.max(leastHitLimit, 100 * (active?.hits ?? 0));
  Object.assign(mutantSwitch(), { activeMutant: active?.mutant, hitCount: 0, hitLimit });
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), limitMs);
  try {
    const ended = (async () => run())().then(
      () => 'passed' as const,
      () => 'failed' as const,
    );
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
    mutantSwitch().activeMutant = undefined;
  }
}
