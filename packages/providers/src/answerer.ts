import type { Model } from '@quartermaster/catalog';

/** Who answers, and what its tokens cost. */
export interface Answerer {
  readonly provider: string;
  readonly id: string;
  /** The catalog's row, where it has one. */
  readonly known: Model | undefined;
}
