import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers, quickDrivers } from './matrix/drivers/all.ts';
import { openPair } from './matrix/pair.ts';
import type { Pair } from './matrix/pair.ts';
import { readRecord } from './matrix/record.ts';
import { formatMatrix, readSection } from './matrix/section.ts';
import { quickStories, stories } from './matrix/stories.ts';
import { installClient } from './install.ts';
import type { ClientInstall, ClientUnavailable } from './install.ts';
import { installTimeoutMs } from './stage.ts';

const installDeadlineMs = 120_000;
const storyTimeoutMs = 120_000;

let installs: readonly (ClientInstall | ClientUnavailable)[] = [];

// All at once, and not for long: where there is no registry, the quick tests go on without the clients, and say so.
beforeAll(async () => {
  installs = await Promise.all(
    quickDrivers.map(({ title: name, packages }) =>
      installClient({ name, packages, deadlineMs: installDeadlineMs }),
    ),
  );
}, installTimeoutMs);

// The whole matrix is `npm run test:clients`.
describe.each(quickDrivers)('$title', (driver) => {
  let pair: Pair | ClientUnavailable | undefined;

  beforeAll(async () => {
    const install = installs[quickDrivers.indexOf(driver)];
    if (install === undefined) throw new Error('There are no installs: beforeAll did not end.');
    pair = await openPair(driver, install);
  }, storyTimeoutMs);

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
