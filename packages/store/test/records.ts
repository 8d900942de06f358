import type {
  CacheEntryRecord,
  RequestRecord,
  SessionHistory,
  Store,
  ThreadRecord,
  VerdictRecord,
} from '@quartermaster/store';

/** A thread record of tenant `local`, decided now. */
export function threadRecord(changes: Partial<ThreadRecord> = {}): ThreadRecord {
  return {
    tenant: 'local',
    session: 'ses',
    agent: 'main',
    decision: '{"deferred":["WebFetch"]}',
    decidedAtMs: Date.now(),
    attempt: 'attempt-1',
    ...changes,
  };
}

export function sessionHistory(changes: Partial<SessionHistory> = {}): SessionHistory {
  return {
    tenant: 'local',
    session: 'ses',
    project: 'none',
    declared: ['Bash', 'WebFetch'],
    used: ['Bash'],
    lastActivityMs: 1_000,
    ...changes,
  };
}

export function verdictRecord(changes: Partial<VerdictRecord> = {}): VerdictRecord {
  return {
    upstream: 'https://api.example',
    model: 'a-model',
    route: 'v1/messages',
    verdict: 'pass',
    checkedAtMs: 1_000,
    ...changes,
  };
}

/** A deadline that no test runs into. */
export function farDeadline(): { readonly deadlineMs: number } {
  return { deadlineMs: Date.now() + 60_000 };
}

/** Claims with all the time in the world, and throws unless it was won. */
export async function claimed(store: Store, record: ThreadRecord): Promise<ThreadRecord> {
  const claim = await store.threads.claim(record, farDeadline());
  if (claim.type !== 'won') throw new Error(`Expected to win ${record.session}; it is ${claim.type}.`);
  return record;
}

export function requestRecord(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    tenant: 'local',
    session: 'ses',
    agent: 'main',
    project: 'none',
    client: 'claude-code',
    model: 'a-model',
    atMs: 1_000,
    status: 200,
    decision: 'defer',
    reason: null,
    inputTokens: 10,
    cacheReadTokens: 2_000,
    cacheWriteShortTokens: 30,
    cacheWriteLongTokens: 0,
    outputTokens: 40,
    costUsd: 0.0125,
    netTokens: 512.5,
    netUsd: -0.001,
    projectedTokens: null,
    projectedUsd: null,
    searches: 1,
    droppedSearches: 0,
    wrongGuesses: 1,
    refusedRounds: 0,
    ...changes,
  };
}

export function cacheEntry(changes: Partial<CacheEntryRecord> = {}): CacheEntryRecord {
  return {
    tenant: 'local',
    arm: 'deferred',
    hash: 'a-hash',
    tokens: 100,
    lifeMs: 300_000,
    endsAtMs: 1_000,
    ...changes,
  };
}
