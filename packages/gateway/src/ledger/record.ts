import type { RequestRecord } from '@quartermaster/store';
import type { Usage } from '@quartermaster/wire';
import type { Booking } from './book.ts';
import type { LedgerRequest } from './ledger-request.ts';

type Told = Pick<
  RequestRecord,
  'inputTokens' | 'cacheReadTokens' | 'cacheWriteShortTokens' | 'cacheWriteLongTokens' | 'outputTokens'
>;
type Settled = Pick<RequestRecord, 'costUsd' | 'netTokens' | 'netUsd' | 'projectedTokens' | 'projectedUsd'>;

/** The row that a request leaves in the store. */
export function recordOf(
  request: LedgerRequest,
  booking: Booking,
  counts: { readonly wrongGuesses: number; readonly refusedRounds: number },
): RequestRecord {
  const { decision, isProjection } = request;
  const { tenant, session, agent, project, client, modelId } = request.conversation;
  return {
    tenant,
    session,
    agent,
    project,
    client: client.id,
    model: modelId,
    atMs: booking.atMs,
    status: booking.status,
    decision: decision?.type ?? 'unreadable',
    reason: decision?.type === 'nothing' ? decision.reason : null,
    ...toldIn(booking.usage),
    ...settledIn(booking, isProjection),
    searches: isProjection ? 0 : booking.searches,
    droppedSearches: booking.droppedSearches,
    wrongGuesses: isProjection ? 0 : counts.wrongGuesses,
    refusedRounds: counts.refusedRounds,
  };
}

/** As the provider told them, whether or not the request could be settled. */
function toldIn(usage: Partial<Usage> = {}): Told {
  return {
    inputTokens: orNull(usage.inputTokens),
    cacheReadTokens: orNull(usage.cacheReadTokens),
    cacheWriteShortTokens: orNull(usage.cacheWriteShortTokens),
    cacheWriteLongTokens: orNull(usage.cacheWriteLongTokens),
    outputTokens: orNull(usage.outputTokens),
  };
}

const unsettled: Settled = {
  costUsd: null,
  netTokens: null,
  netUsd: null,
  projectedTokens: null,
  projectedUsd: null,
};

/** LE5: realised and projected never both. */
function settledIn(booking: Booking, isProjection: boolean): Settled {
  if (booking.type !== 'settled') return unsettled;
  const { billedUsd: costUsd, netTokens, netUsd } = booking.settlement;
  return isProjection
    ? { ...unsettled, costUsd, projectedTokens: netTokens, projectedUsd: netUsd }
    : { ...unsettled, costUsd, netTokens, netUsd };
}

function orNull(value: number | undefined): number | null {
  return value ?? null;
}
