/** How much to try. */
export interface FuzzOptions {
  readonly seed: number;
  readonly numRuns: number;
}

/** How much was tried. */
export interface FuzzTally {
  readonly cases: number;
  readonly allowed: number;
}

/** At least this share of the cases must be allowed, or the property says little. */
export const leastAllowed = 0.01;
