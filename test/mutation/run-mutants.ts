import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createVitest } from 'vitest/node';
import type { TestSpecification, Vitest } from 'vitest/node';
import { root } from '../tree.ts';
import { instrument, instrumented } from './instrument.ts';
import type { Instrumented, SourceMutant } from './instrument.ts';
import { killedIn, openLedger } from './ledger.ts';
import type { Ledger, Note } from './ledger.ts';
import type { MutationRun } from './mutant-runner.ts';
import { planRuns } from './plan-runs.ts';
import type { LoneRun } from './plan-runs.ts';

/** What became of a mutant. */
export type MutantFate = 'killed' | 'timed-out' | 'survived' | 'not-covered';

/** A mutant and its fate. */
export interface JudgedMutant extends SourceMutant {
  readonly fate: MutantFate;
}

/** What to mutate, and what to run. */
export interface MutationOptions {
  /** The sources to mutate, relative to the root. */
  readonly sources: readonly string[];
  /** Where the tests are, relative to the root. */
  readonly tests: readonly string[];
  readonly seed: number;
  /** Where notes are taken, and survivors are listed. */
  readonly folder: string;
  readonly log: (text: string) => void;
}

/**
 * Judges every mutant of the sources: first in the threads of one test run, in which mutants are switched on and off;
 * then, each in threads of its own, those that act while sources are imported, and those that left something behind.
 */
export async function runMutants(options: MutationOptions): Promise<readonly JudgedMutant[]> {
  const { texts, mutants } = await instrument(options.sources);
  mkdirSync(options.folder, { recursive: true });
  const file = path.join(options.folder, 'ledger.jsonl');
  writeFileSync(file, '');
  const ledger = openLedger(file);
  options.log(`${mutants.length} mutants of ${texts.size} files`);
  await runTogether(options, texts, ledger);
  const runs = planRuns(ledger.read(), mutants);
  options.log(`${runs.length} need a run of their own`);
  // Each other one, by two runs of tests at once.
  await Promise.all(
    [0, 1].map((half) =>
      runApart(options, texts, { ledger, runs: runs.filter((_, index) => index % 2 === half) }),
    ),
  );
  return judge(mutants, ledger.read());
}

async function runTogether(
  options: MutationOptions,
  texts: Instrumented['texts'],
  ledger: Ledger,
): Promise<void> {
  const vitest = await openVitest(options, texts, { bail: 0, maxWorkers: 2 });
  const all = await findTests(vitest, options);
  for (const stage of ['quick', 'slow'] as const) {
    const slow = new Set(ledger.read().flatMap((note) => (note.type === 'slow' ? [note.file] : [])));
    const chosen = stage === 'quick' ? all : all.filter(({ moduleId }) => slow.has(moduleId));
    await runTests(vitest, chosen, { ledger: ledger.file, stage });
    const failed = vitest.state.getFailedFilepaths();
    if (failed.length > 0)
      throw new Error(`Expected tests to pass without a mutant; failed: ${failed.join()}.`);
    options.log(`${killedIn(ledger.read()).size} killed by ${stage} tests`);
  }
  await vitest.close();
}

/** No mutant has this id. */
const noMutant = 'none';

async function runApart(
  options: MutationOptions,
  texts: Instrumented['texts'],
  { ledger, runs }: { readonly ledger: Ledger; readonly runs: readonly LoneRun[] },
): Promise<void> {
  const vitest = await openVitest(options, texts, { bail: 1, maxWorkers: 1 });
  const tests = new Map((await findTests(vitest, options)).map((each) => [each.moduleId, each]));
  for (const [index, { mutant, files }] of runs.entries()) {
    const [first, ...others] = files.flatMap((each) => tests.get(each) ?? []);
    // The file that is most likely to notice; the others only if it does not.
    for (const chosen of [first === undefined ? [] : [first], others]) {
      if (chosen.length === 0) continue;
      if (await runTests(vitest, chosen, { ledger: ledger.file, stage: { mutant } })) continue;
      // What fails without a mutant as well, as on a busy machine, has noticed nothing.
      if (!(await runTests(vitest, chosen, { ledger: ledger.file, stage: { mutant: noMutant } }))) continue;
      ledger.write({ type: 'killed', mutant, file: chosen[0]?.moduleId ?? '', test: '', isLate: false });
      break;
    }
    if (index % 25 === 24) options.log(`${index + 1} of ${runs.length} have had it`);
  }
  await vitest.close();
}

function openVitest(
  { seed }: MutationOptions,
  texts: Instrumented['texts'],
  { bail, maxWorkers }: { readonly bail: number; readonly maxWorkers: number },
): Promise<Vitest> {
  return createVitest(
    'test',
    {
      root,
      watch: false,
      pool: 'threads',
      runner: path.join(import.meta.dirname, 'mutant-runner.ts'),
      // Instrumented texts must not stay in the cache.
      fsModuleCache: false,
      reporters: [{}],
      sequence: { shuffle: false, seed },
      bail,
      maxWorkers,
      onConsoleLog: () => false,
    },
    { plugins: [instrumented(texts)] },
  );
}

/** They measure time or memory, which mutants and their switches change, or try a mutant 20,000 times. */
const unfit = /-speed\.test|-lifetime\.test|-properties\.test/;

async function findTests(vitest: Vitest, { tests }: MutationOptions): Promise<readonly TestSpecification[]> {
  const found = await vitest.globTestSpecifications([...tests]);
  return found.filter(({ moduleId }) => !unfit.test(moduleId));
}

/** Whether all of them passed. */
async function runTests(
  vitest: Vitest,
  specifications: readonly TestSpecification[],
  mutation: MutationRun,
): Promise<boolean> {
  vitest.provide('mutation', mutation);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...specifications]);
  return testModules.every((each) => each.ok()) && unhandledErrors.length === 0;
}

function judge(mutants: readonly SourceMutant[], notes: readonly Note[]): readonly JudgedMutant[] {
  const killed = new Map(
    notes.flatMap((note) => (note.type === 'killed' ? [[note.mutant, note.isLate]] : [])),
  );
  const reached = new Set(
    notes.flatMap((note) => (note.type === 'reached' ? [...note.byTests, ...note.byImports] : [])),
  );
  return mutants.map((mutant) => {
    const isLate = killed.get(mutant.id);
    if (isLate !== undefined) return { ...mutant, fate: isLate ? 'timed-out' : 'killed' };
    return { ...mutant, fate: reached.has(mutant.id) ? 'survived' : 'not-covered' };
  });
}
