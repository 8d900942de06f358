import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createVitest } from 'vitest/node';
import type { TestSpecification, Vitest } from 'vitest/node';
import { root } from '../tree.ts';
import { instrument, instrumented } from './instrument.ts';
import type { SourceMutant } from './instrument.ts';
import { openLedger } from './ledger.ts';
import type { Ledger, Note } from './ledger.ts';
import type { MutationRun } from './mutant-runner.ts';

/** What became of a mutant. */
export type MutantFate = 'killed' | 'timed-out' | 'survived' | 'not-covered';

/** A mutant and its fate. */
export interface JudgedMutant extends SourceMutant {
  readonly fate: MutantFate;
}

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

  const together = await openVitest(options, texts, { bail: 0, maxWorkers: 2 });
  const all = await findTests(together, options);
  for (const stage of ['quick', 'slow'] as const) {
    await runTests(together, all, { ledger: file, stage });
    options.log(`${countKilled(ledger)} killed by ${stage} tests`);
  }
  if (together.state.getCountOfFailedTests() > 0)
    throw new Error('Expected all tests to pass without a mutant.');
  await together.close();

  const apart = planRuns(ledger.read(), mutants);
  options.log(`${apart.length} need a run of their own`);
  const alone = await openVitest(options, texts, { bail: 1, maxWorkers: 1 });
  const specifications = new Map((await findTests(alone, options)).map((each) => [each.moduleId, each]));
  for (const [index, { mutant, files }] of apart.entries()) {
    await runAlone(
      alone,
      { mutant, ledger: file },
      files.flatMap((each) => specifications.get(each) ?? []),
    );
    if (index % 50 === 49) options.log(`${index + 1} of them run`);
  }
  await alone.close();
  return judge(mutants, ledger.read());
}

function openVitest(
  { seed }: MutationOptions,
  texts: ReadonlyMap<string, string>,
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

async function runTests(
  vitest: Vitest,
  specifications: readonly TestSpecification[],
  mutation: MutationRun,
): Promise<boolean> {
  vitest.provide('mutation', mutation);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...specifications]);
  return testModules.every((each) => each.ok()) && unhandledErrors.length === 0;
}

function requireNoFailure({ state }: Vitest): void {
  const failed = state.getFailedFilepaths();
  if (failed.length > 0) throw new Error(`Expected tests to pass without a mutant; these failed: ${failed}.`);
}

/** First the file that is most likely to notice; the others only if it does not. */
async function runAlone(
  vitest: Vitest,
  { mutant, ledger }: { readonly mutant: string; readonly ledger: string },
  [first, ...others]: readonly TestSpecification[],
): Promise<void> {
  for (const files of [first === undefined ? [] : [first], others]) {
    if (files.length === 0 || (await runTests(vitest, files, { ledger, stage: { mutant } }))) continue;
    const file = files[0]?.moduleId ?? '';
    openLedger(ledger).write({ type: 'killed', mutant, file, test: '', isLate: false });
    return;
  }
}

interface LoneRun {
  readonly mutant: string;
  /** The test files that reach it, those that killed most mutants of the same source first. */
  readonly files: readonly string[];
}

function planRuns(notes: readonly Note[], mutants: readonly SourceMutant[]): readonly LoneRun[] {
  const killed = new Set(notes.flatMap((note) => (note.type === 'killed' ? [note.mutant] : [])));
  const open = new Set(
    notes.flatMap((note) =>
      note.type === 'reached' ? note.byImports : note.type === 'doubtful' ? note.mutants : [],
    ),
  );
  const sourceOf = new Map(mutants.map(({ id, fileName }) => [id, fileName]));
  const kills = new Map<string, number>();
  for (const note of notes) {
    if (note.type !== 'killed') continue;
    const key = `${sourceOf.get(note.mutant)} ${note.file}`;
    kills.set(key, (kills.get(key) ?? 0) + 1);
  }
  return mutants
    .filter(({ id }) => open.has(id) && !killed.has(id))
    .map(({ id, fileName }) => ({
      mutant: id,
      files: filesThatUse(fileName, notes, sourceOf).toSorted(
        (left, right) => (kills.get(`${fileName} ${right}`) ?? 0) - (kills.get(`${fileName} ${left}`) ?? 0),
      ),
    }));
}

/** The test files whose tests run something of the source; where none does, those that import it. */
function filesThatUse(
  source: string,
  notes: readonly Note[],
  sourceOf: ReadonlyMap<string, string>,
): readonly string[] {
  const reached = notes.filter((note) => note.type === 'reached');
  const isOfSource = (mutant: string): boolean => sourceOf.get(mutant) === source;
  const using = reached.filter(({ byTests }) => byTests.some(isOfSource));
  return (using.length > 0 ? using : reached.filter(({ byImports }) => byImports.some(isOfSource))).map(
    ({ file }) => file,
  );
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

function countKilled(ledger: Ledger): number {
  return new Set(ledger.read().flatMap((note) => (note.type === 'killed' ? [note.mutant] : []))).size;
}
