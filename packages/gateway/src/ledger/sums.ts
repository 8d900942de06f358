import type { NothingReason } from '../threads/decision.ts';

/**
 * What the ledger adds up. Realised figures and projected ones never share a name (LE5): all of the latter, and they
 * alone, begin with `projected_`. So do those of the arms of a holdout (LE6) with `arm_`.
 */
export type SumName =
  | 'net_tokens'
  | 'net_usd'
  | 'requests_booked'
  | 'requests_unknown'
  | 'threads_decided'
  | 'units_deferred'
  | 'tokens_deferred_o200k'
  | 'searches'
  | 'dropped_searches'
  | 'wrong_guesses'
  | 'refused_rounds'
  | 'bypasses'
  | 'flips'
  | `nothing:${NothingReason}`
  | `projected_${'tokens' | 'usd' | 'requests' | 'requests_unknown' | 'threads_decided' | 'units_deferred'}`
  | `projected_${'tokens_deferred_o200k' | 'searches' | 'wrong_guesses'}`
  | `arm_${'deferred' | 'holdout'}_${'threads' | 'requests' | 'requests_unknown' | 'tokens' | 'usd'}`;

/** Sums by name; a name that nothing was added to is not there, which is not 0. */
export interface Sums {
  add(name: SumName, amount: number): void;
  get(name: SumName): number | undefined;
  entries(): Iterable<readonly [SumName, number]>;
  clear(): void;
}

/** Without any sum. */
export function createSums(): Sums {
  const sums = new Map<SumName, number>();
  return {
    add: (name, amount) => void sums.set(name, (sums.get(name) ?? 0) + amount),
    get: (name) => sums.get(name),
    entries: () => sums.entries(),
    clear: () => sums.clear(),
  };
}
