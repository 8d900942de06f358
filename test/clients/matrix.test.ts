import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers, quickDrivers } from './matrix/drivers/all.ts';
import { openPair } from './matrix/pair.ts';
import type { Pair } from './matrix/pair.ts';
import { readRecord } from './matrix/record.ts';
import { formatMatrix, readSection } from './matrix/section.ts';
import { quickStories, stories } from './matrix/stories.ts';
import type { ClientUnavailable } from './install.ts';
import { installTimeoutMs } from './stage.ts';

const storyTimeoutMs = 120_000;

// The whole matrix is `npm run test:clients`.
describe.each(quickDrivers)('$title', (driver) => {
  let pair: Pair | ClientUnavailable | undefined;

  beforeAll(async () => {
    pair = await openPair(driver);
  }, installTimeoutMs);

  afterAll(async () => {
    if (pair !== undefined && !('unavailable' in pair)) await pair[Symbol.asyncDispose]();
  });

  test.for(quickStories)(
    'Q2: $title is the same through the gateway, which defers',
    { timeout: storyTimeoutMs },
    async (story, context) => {
      if (pair === undefined) throw new Error('There is no pair: beforeAll did not end.');
      if ('unavailable' in pair) return context.skip(pair.unavailable);
      const cell = await pair.play(story);
      expect(cell).toEqual({ type: 'same', deferred: expect.toSatisfy((count) => count > 0) });
    },
  );
});

describe('the matrix of docs/clients.md', () => {
  test('has a row for every client that is driven, and for no other', async () => {
    const { rows } = await readRecord();
    expect(rows.map(({ client }) => client)).toEqual(drivers.map(({ title }) => title));
  });

  test('shows what was recorded', async () => {
    const titles = stories.map(({ title }) => title);
    expect(await readSection()).toBe(formatMatrix(await readRecord(), titles));
  });
});
