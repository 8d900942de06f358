import { expect } from 'vitest';
import { parseRequest, rawValue, withoutMarks } from './request-bytes.ts';
import type { UpstreamRequest } from './upstream.ts';

/** The simulator verifies thinking blocks: had a prefix moved, there would be a 400. */
export function expectNothingRefused(requests: readonly UpstreamRequest[]): void {
  expect(requests.map(({ status, error }) => ({ status, error }))).toEqual(
    requests.map(() => ({ status: 200, error: null })),
  );
  expect(requests.filter((request) => request.brokenBinding)).toEqual([]);
}

/** Tools and system of all requests are the same bytes. */
export function expectSameTools(requests: readonly UpstreamRequest[]): void {
  expect(new Set(requests.map(({ raw }) => rawValue(raw, 'tools'))).size).toBe(1);
  expect(new Set(requests.map(({ raw }) => rawValue(raw, 'system'))).size).toBe(1);
}

/** Each conversation begins with the one before, and nothing of it is written to the cache a second time. */
export function expectGrowingPrefix(requests: readonly UpstreamRequest[]): void {
  for (const [index, later] of requests.entries()) {
    const earlier = requests[index - 1];
    if (earlier === undefined) {
      expect(later).toMatchObject({ cacheRead: 0, cacheWrite: expect.toSatisfy((tokens) => tokens > 0) });
      continue;
    }
    const before = withoutMarks(parseRequest(earlier.raw).messages);
    expect(withoutMarks(parseRequest(later.raw).messages).slice(0, before.length)).toEqual(before);
    expect(later.cacheRead).toBe(earlier.cacheRead + earlier.cacheWrite);
  }
}
