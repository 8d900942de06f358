import type { NothingReason } from './threads/decision.ts';

/** What the gateway has counted since it started; the JSON of `/stats` is made of it. */
export interface Counters {
  requests: number;
  /** Requests whose body went upstream with our edits in it. */
  rewritten: number;
  /** Why understood requests went upstream as they came. */
  readonly unchangedReasons: Map<string, number>;
  /** Errors that the gateway answered itself, by code. */
  readonly ownErrors: Map<string, number>;
  threadsDecided: number;
  unitsDeferred: number;
  tokensDeferredO200k: number;
  /** Threads that leave tools out, those tools, and their weight, at the threads' first requests. */
  threadsWithRemoval: number;
  toolsRemoved: number;
  tokensRemovedO200k: number;
  recordUnreadable: number;
  flips: number;
  bypasses: number;
  rebuilds: number;
  /** Requests that were sent once more after the provider had refused them (RF6). */
  retries400: number;
  /** Proofs that deferral broke a request (RF6). */
  turnedOff: number;
  /** Answers that searches were taken out of (Q2). */
  strippedAnswers: number;
  /** Answers whose searches were not durable in time (Q2). */
  unwrittenTurns: number;
  /** Searches that could not be put back into a request, since their place is gone (Q2). */
  unplacedSearches: number;
  /** Requests that got the declaration of a tool back which their transcript names (Q3). */
  resolvedRequests: number;
  /** Times that the provider was asked to go on with a turn (Q4). */
  continuations: number;
  /** Checks that someone asked for (CH8). */
  asks: number;
  readonly nothingReasons: Map<NothingReason, number>;
}

/** All at zero: they count from the start of the process. */
export function createCounters(): Counters {
  return {
    requests: 0,
    rewritten: 0,
    unchangedReasons: new Map(),
    ownErrors: new Map(),
    threadsDecided: 0,
    unitsDeferred: 0,
    tokensDeferredO200k: 0,
    threadsWithRemoval: 0,
    toolsRemoved: 0,
    tokensRemovedO200k: 0,
    recordUnreadable: 0,
    flips: 0,
    bypasses: 0,
    rebuilds: 0,
    retries400: 0,
    turnedOff: 0,
    strippedAnswers: 0,
    unwrittenTurns: 0,
    unplacedSearches: 0,
    resolvedRequests: 0,
    continuations: 0,
    asks: 0,
    nothingReasons: new Map(),
  };
}

/** Counts one more of `key`. */
export function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
