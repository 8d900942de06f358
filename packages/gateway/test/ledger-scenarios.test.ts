import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { scenarios } from './support/ledger-scenarios.ts';
import { playStory, story } from './support/ledger-stories.ts';
import { maxError, openLedgerWorld } from './support/ledger-world.ts';

describe('LE1: what the ledger says was saved is what the two providers billed apart', () => {
  test('in more than twenty stories', () => expect(scenarios.length).toBeGreaterThan(20));

  test.each(scenarios.map((each) => [each.name, each] as const))('%s', async (_name, { play, pays }) => {
    await using world = await openLedgerWorld();
    await play(world);
    const { error, netUsd, withUsd, withoutUsd } = await world.account();
    expect(error).toBeLessThan(maxError);
    expect(withoutUsd > withUsd).toBe(pays);
    expect((netUsd ?? Number.NaN) > 0).toBe(pays);
    const stats = (await world.gateway().stats()).tool_defer;
    expect({ unknown: stats.requests_unknown, drops: stats.queue_drops }).toEqual({ unknown: 0, drops: 0 });
  });

  test('in 100 random ones', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        await using world = await openLedgerWorld();
        await playStory(world, told);
        const { error } = await world.account();
        expect(error).toBeLessThan(maxError);
      }),
      { seed: inject('seed'), numRuns: 100, endOnFailure: true },
    );
  });
});
