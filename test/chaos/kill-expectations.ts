import { expect } from 'vitest';
import type { UpstreamRequest } from '../clients/upstream.ts';
import type { KilledSession, KillPoint } from './kill-story.ts';

/** About how many bytes and requests a session of the story has. */
const sessionBytes = 14_000;
const sessionRequests = 6;

/** Points spread over a session by a seeded generator, so that a run can be repeated. */
export function killPoints(count: number, seed: number): readonly KillPoint[] {
  const random = generator(seed);
  return Array.from({ length: count }, (_, index) =>
    index % 3 === 0
      ? { type: 'request', number: 1 + Math.floor(random() * sessionRequests) }
      : { type: 'bytes', count: 1 + Math.floor(random() * sessionBytes) },
  );
}

/** No refused request, no flip, one prefix over the death of the process. */
export function expectUnmoved({ point, requests, flips, rebuilds }: KilledSession): void {
  const where = JSON.stringify(point);
  expect(flips + rebuilds, where).toBe(0);
  expect(
    requests.map(({ status }) => status),
    where,
  ).toEqual(requests.map(() => 200));
  expect(new Set(requests.map(toolsOf)).size, where).toBe(1);
  for (const [index, { renderedPrefixHashes: later }] of requests.entries()) {
    const before = requests[index - 1]?.renderedPrefixHashes ?? [];
    expect(later.slice(0, before.length), where).toEqual(before);
  }
}

/** Most sessions are deferred; on a busy machine the store may miss its 50 ms at a session's first request (O1). */
export function expectMostDeferred(sessions: readonly KilledSession[]): void {
  const deferred = sessions.filter(({ requests }) => (requests[0]?.toolsDeferred.length ?? 0) > 0);
  expect(deferred.length).toBeGreaterThan(sessions.length / 2);
}

function toolsOf({ raw }: UpstreamRequest): string {
  const start = raw.indexOf('"tools":');
  return raw.slice(start, raw.indexOf(',"metadata"', start));
}

/** Mulberry32: small, seeded, and even enough to spread points. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
