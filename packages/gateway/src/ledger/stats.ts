import type { Sums } from './sums.ts';

/** The ledger's part of `/stats`. `null`: not known, because nothing that could tell it was seen; never 0 (LE5). */
export interface LedgerStats {
  readonly net_tokens: number | null;
  readonly net_usd: number | null;
  /** Requests in the two figures above, and those whose bill is not known. */
  readonly requests_booked: number;
  readonly requests_unknown: number;
  readonly searches: number;
  readonly dropped_searches: number;
  readonly wrong_guesses: number;
  readonly projected_tokens: number | null;
  readonly projected_usd: number | null;
  readonly projected: ProjectedStats | null;
  /** Both arms of a holdout (LE6); `null` where there is none. */
  readonly arms: Readonly<Record<'deferred' | 'holdout', ArmStats>> | null;
  readonly queue_drops: number;
}

/** What the preset `ultrahigh` would have done, if the upstream supports it. */
export interface ProjectedStats {
  readonly condition: string;
  readonly requests: number;
  readonly requests_unknown: number;
  readonly threads_decided: number;
  readonly units_deferred: number;
  readonly tokens_deferred_o200k: number;
  readonly searches: number;
  readonly wrong_guesses: number;
}

/** Billed in one arm; its thread and request counts make averages of it. */
export interface ArmStats {
  readonly threads: number;
  readonly requests: number;
  readonly requests_unknown: number;
  readonly tokens: number | null;
  readonly usd: number | null;
}

/** The sums as `/stats` shows them: what was never told is `null`, not 0 (LE5). */
export function ledgerStats(
  sums: Sums,
  options: { readonly isProjecting: boolean; readonly hasHoldout: boolean; readonly queueDrops: number },
): LedgerStats {
  const count = (name: Parameters<Sums['get']>[0]): number => sums.get(name) ?? 0;
  return {
    net_tokens: roundedTokens(sums.get('net_tokens')),
    net_usd: roundedUsd(sums.get('net_usd')),
    requests_booked: count('requests_booked'),
    requests_unknown: count('requests_unknown'),
    searches: count('searches'),
    dropped_searches: count('dropped_searches'),
    wrong_guesses: count('wrong_guesses'),
    projected_tokens: roundedTokens(sums.get('projected_tokens')),
    projected_usd: roundedUsd(sums.get('projected_usd')),
    projected: options.isProjecting
      ? {
          condition: 'if the upstream supports tool deferral',
          requests: count('projected_requests'),
          requests_unknown: count('projected_requests_unknown'),
          threads_decided: count('projected_threads_decided'),
          units_deferred: count('projected_units_deferred'),
          tokens_deferred_o200k: count('projected_tokens_deferred_o200k'),
          searches: count('projected_searches'),
          wrong_guesses: count('projected_wrong_guesses'),
        }
      : null,
    arms: options.hasHoldout ? { deferred: armOf(sums, 'deferred'), holdout: armOf(sums, 'holdout') } : null,
    queue_drops: options.queueDrops,
  };
}

function armOf(sums: Sums, arm: 'deferred' | 'holdout'): ArmStats {
  return {
    threads: sums.get(`arm_${arm}_threads`) ?? 0,
    requests: sums.get(`arm_${arm}_requests`) ?? 0,
    requests_unknown: sums.get(`arm_${arm}_requests_unknown`) ?? 0,
    tokens: roundedTokens(sums.get(`arm_${arm}_tokens`)),
    usd: roundedUsd(sums.get(`arm_${arm}_usd`)),
  };
}

function roundedTokens(tokens: number | undefined): number | null {
  return tokens === undefined ? null : Math.round(tokens);
}

/** To a ten-millionth of a dollar: what one token of the cheapest model costs. */
function roundedUsd(usd: number | undefined): number | null {
  return usd === undefined ? null : Math.round(usd * 1e7) / 1e7;
}
