import type { Surroundings } from '../../surroundings.ts';

/** Where the things of this command come from, and who lets go of them. */
export interface TeamContext {
  readonly surroundings: Surroundings;
  readonly resources: AsyncDisposableStack;
}
