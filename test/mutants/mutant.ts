/** A check taken out of the code, and the test that must turn red without it. */
export interface Mutant {
  readonly name: string;
  /** Path from the root. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly killedBy: {
    /** Path from the root. */
    readonly file: string;
    /** The beginning of the test's own name. */
    readonly test: string;
  };
}
