import { sumPrompt } from '@quartermaster/deferral';
import type { Decision } from '../threads/decision.ts';
import type { Booking } from './book.ts';
import type { LedgerRequest } from './ledger-request.ts';
import type { SumName } from './sums.ts';

/** What is added to which sum. */
export type Amounts = readonly (readonly [SumName, number])[];

/** What a new thread's decision adds to the sums (LE4). */
export function decisionAmounts(decision: Decision): Amounts {
  if (decision.type === 'nothing') {
    const arm = decision.reason === 'holdout' ? ([['arm_holdout_threads', 1]] as const) : [];
    return [['threads_decided', 1], [`nothing:${decision.reason}`, 1], ...arm];
  }
  return [
    ['threads_decided', 1],
    ['units_deferred', decision.units.length],
    ['tokens_deferred_o200k', decision.deferredTokensO200k],
    ['arm_deferred_threads', 1],
  ];
}

/** The same for a decision that was only imagined. */
export function projectedDecisionAmounts(decision: Decision): Amounts {
  if (decision.type === 'nothing') return [['projected_threads_decided', 1]];
  return [
    ['projected_threads_decided', 1],
    ['projected_units_deferred', decision.units.length],
    ['projected_tokens_deferred_o200k', decision.deferredTokensO200k],
  ];
}

/** What one request adds to the sums: realised and projected figures under names of their own (LE5). */
export function amountsOf(request: LedgerRequest, booking: Booking, wrongGuesses: number): Amounts {
  const amounts = request.isProjection
    ? projectedAmounts(booking, wrongGuesses)
    : [...realisedAmounts(booking, wrongGuesses), ...armAmounts(request, booking)];
  return amounts.filter(([name, amount]) => amount !== 0 || isFigure(name));
}

/** A figure of 0 is known to be that; a count of 0 needs no row. */
function isFigure(name: SumName): boolean {
  return /_(tokens|usd)$/.test(name);
}

function realisedAmounts(booking: Booking, wrongGuesses: number): Amounts {
  const counts = [
    ['wrong_guesses', wrongGuesses],
    ['searches', booking.searches],
    ['dropped_searches', booking.droppedSearches],
    ['requests_unknown', booking.type === 'unknown' ? 1 : 0],
  ] as const;
  if (booking.type !== 'settled') return counts;
  const { netTokens, netUsd } = booking.settlement;
  return [...counts, ['net_tokens', netTokens], ['net_usd', netUsd], ['requests_booked', 1]];
}

function projectedAmounts(booking: Booking, wrongGuesses: number): Amounts {
  const counts = [
    ['projected_wrong_guesses', wrongGuesses],
    ['projected_searches', booking.searches],
    ['projected_requests_unknown', booking.type === 'unknown' ? 1 : 0],
  ] as const;
  if (booking.type !== 'settled') return counts;
  const { netTokens, netUsd } = booking.settlement;
  return [...counts, ['projected_tokens', netTokens], ['projected_usd', netUsd], ['projected_requests', 1]];
}

function armAmounts({ decision }: LedgerRequest, booking: Booking): Amounts {
  const arm = armOf(decision);
  if (arm === undefined || booking.type === 'not-billed') return [];
  if (booking.type !== 'settled') return [[`arm_${arm}_requests_unknown`, 1]];
  const { billed, billedUsd } = booking.settlement;
  return [
    [`arm_${arm}_requests`, 1],
    [`arm_${arm}_tokens`, sumPrompt(billed) + billed.outputTokens],
    [`arm_${arm}_usd`, billedUsd],
  ];
}

/** LE6. */
function armOf(decision: Decision | undefined): 'deferred' | 'holdout' | undefined {
  if (decision === undefined) return undefined;
  if (decision.type === 'defer') return 'deferred';
  return decision.reason === 'holdout' ? 'holdout' : undefined;
}
