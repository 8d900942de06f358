import { appendFileSync, readFileSync } from 'node:fs';

/** What the threads that run tests tell about mutants. */
export type Note =
  /** A test failed with the mutant in place, and passed again without it. */
  | {
      readonly type: 'killed';
      readonly mutant: string;
      readonly file: string;
      readonly test: string;
      readonly isLate: boolean;
    }
  /** What the tests of a file reach while they run, and what was reached before: when sources were imported. */
  | {
      readonly type: 'reached';
      readonly file: string;
      readonly byTests: readonly string[];
      readonly byImports: readonly string[];
    }
  /** A test that took long; `test` is its id. */
  | { readonly type: 'slow'; readonly file: string; readonly test: string }
  /** Not to be judged in a thread that has seen other mutants. */
  | { readonly type: 'doubtful'; readonly mutants: readonly string[] };

/** Notes, a line each, in a file that several threads append to. */
export interface Ledger {
  readonly file: string;
  write(note: Note): void;
  read(): readonly Note[];
}

export function openLedger(file: string): Ledger {
  const notes: Note[] = [];
  let position = 0;
  return {
    file,
    write: (note) => appendFileSync(file, `${JSON.stringify(note)}\n`),
    read() {
      const added = readFileSync(file).subarray(position);
      const whole = added.subarray(0, added.lastIndexOf('\n') + 1); // the last line may still be being written
      position += whole.length;
      const lines = whole.toString().split('\n').slice(0, -1);
      notes.push(...lines.map((line): Note => JSON.parse(line)));
      return notes;
    },
  };
}

/** The ids of mutants that a test has killed. */
export function killedIn(notes: readonly Note[]): ReadonlySet<string> {
  return new Set(notes.flatMap((note) => (note.type === 'killed' ? [note.mutant] : [])));
}
