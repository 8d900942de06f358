import { expect, inject, test } from 'vitest';
import { createRandom, expectUnharmed } from './kill-expectations.ts';
import { killTurns } from './kill-turns.ts';

test(
  'L8, R1: 20 processes killed in the middle of turns leave sessions that go on, and no tool ran twice',
  { timeout: 120_000 },
  async () => {
    const report = await killTurns(createRandom(inject('seed')), 20);
    expect(report.kills).toHaveLength(40);
    expectUnharmed(report);
  },
);
