import type { SourceMutant } from './instrument.ts';
import { killedIn } from './ledger.ts';
import type { Note } from './ledger.ts';

/** A mutant that needs threads of its own, and what to run in them. */
export interface LoneRun {
  readonly mutant: string;
  /** The test files that reach it, those that killed most mutants of the same source first. */
  readonly files: readonly string[];
}

/** For the mutants that are still open: those that act on import, and the doubtful ones. */
export function planRuns(notes: readonly Note[], mutants: readonly SourceMutant[]): readonly LoneRun[] {
  const killed = killedIn(notes);
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
