import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { scenarios } from './support/ledger-scenarios.ts';
import { playStory, story } from './support/ledger-stories.ts';
import { maxError, openLedgerWorld } from './support/ledger-world.ts';

const runs = 2_000;
const figures = new URL('../../../docs/measured/ledger.json', import.meta.url);

interface Measured {
  readonly story: string;
  readonly undeferredUsd: number;
  readonly deferredUsd: number;
  readonly ledgerNetUsd: number | null;
  /** The ledger's distance from the two bills' difference, as a share of the undeferred one. */
  readonly error: number;
}

describe('LE1: what the ledger says was saved is what the two providers billed apart', () => {
  test(`in every told story and in ${runs} random ones; the figures go to docs/measured`, async () => {
    const told = [];
    for (const { name, play } of scenarios) told.push(await measure(name, play));
    const random: Measured[] = [];
    await fc.assert(
      fc.asyncProperty(story, async (each) => {
        const measured = await measure('random', (world) => playStory(world, each));
        random.push(measured);
        expect(measured.error).toBeLessThan(maxError);
      }),
      { seed: inject('seed'), numRuns: runs },
    );
    write(told, random);
    expect(told.filter(({ error }) => error >= maxError)).toEqual([]);
  });
});

async function measure(name: string, play: (typeof scenarios)[number]['play']): Promise<Measured> {
  await using world = await openLedgerWorld();
  await play(world);
  const { withUsd, withoutUsd, netUsd, error } = await world.account();
  return { story: name, undeferredUsd: withoutUsd, deferredUsd: withUsd, ledgerNetUsd: netUsd, error };
}

function write(told: readonly Measured[], random: readonly Measured[]): void {
  const worst = (list: readonly Measured[]): number => Math.max(...list.map(({ error }) => error));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const report = {
    what: 'net saving by the ledger against two simulated bills; error as a share of the undeferred bill',
    commit,
    seed: inject('seed'),
    told: { stories: told.length, worstError: rounded(worst(told)) },
    random: {
      stories: random.length,
      worstError: rounded(worst(random)),
      meanError: rounded(random.reduce((sum, { error }) => sum + error, 0) / random.length),
      dearerWithDeferral: random.filter(({ undeferredUsd, deferredUsd }) => deferredUsd > undeferredUsd)
        .length,
    },
    stories: told.map(({ story: name, error, ...usd }) => ({
      story: name,
      ...Object.fromEntries(Object.entries(usd).map(([key, value]) => [key, rounded(value ?? Number.NaN)])),
      error: rounded(error),
    })),
  };
  mkdirSync(new URL('.', figures), { recursive: true });
  writeFileSync(figures, `${JSON.stringify(report, null, 2)}\n`);
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
