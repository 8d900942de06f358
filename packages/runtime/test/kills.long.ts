import { expect, inject, test } from 'vitest';
import { createRandom, expectUnharmed } from './kill-expectations.ts';
import { killTurns } from './kill-turns.ts';

test('L8, R1: 200 processes killed in the middle of turns leave sessions that go on, and no tool ran twice', async () => {
  const report = await killTurns(createRandom(inject('seed')), 200);
  expect(report.kills).toHaveLength(400);
  expectUnharmed(report);
  // The kills found calls in each of their states.
  const outcomes = new Set(report.kills.flatMap((kill) => kill.outcomes));
  expect([...outcomes].toSorted()).toEqual(['completed', 'interrupted', 'not-started']);
});
