/** What instrumented sources and whoever runs them share, in a global of the name that the instrumenter gives it. */
export interface MutantSwitch {
  /** The one mutant that is in place of what was written. */
  activeMutant?: string | undefined;
  /** Under which name hits are counted; those without one are of code that runs when it is imported. */
  currentTestId?: string | undefined;
  /** Of the active mutant; past the limit its code throws, so that it can't run for ever. */
  hitCount?: number;
  hitLimit?: number;
  readonly mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

declare global {
  var __stryker__: MutantSwitch | undefined;
}

/** That of this thread. */
export function mutantSwitch(): MutantSwitch {
  globalThis.__stryker__ ??= {};
  return globalThis.__stryker__;
}
