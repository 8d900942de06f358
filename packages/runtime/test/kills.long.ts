import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { createRandom, expectUnharmed } from './kill-expectations.ts';
import { killTurns } from './kill-turns.ts';

test('L8, R1: 200 processes killed in the middle of turns leave sessions that go on, and no tool ran twice', async () => {
  const seed = inject('seed');
  const report = await killTurns(createRandom(seed), 200);
  expect(report.kills).toHaveLength(400);
  expectUnharmed(report);
  // The kills found calls in each of their states.
  const outcomes = new Set(report.kills.flatMap((kill) => kill.outcomes));
  expect([...outcomes].toSorted()).toEqual(['completed', 'interrupted', 'not-started']);
  const calls: Record<string, number> = {};
  for (const outcome of report.kills.flatMap((kill) => kill.outcomes))
    calls[outcome] = (calls[outcome] ?? 0) + 1;
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const page = {
    commit,
    seed,
    processes: 200,
    sessions: report.kills.length,
    calls,
    refused: 0,
    ranTwice: 0,
  };
  const measured = new URL('../../../docs/measured/turn-kills.json', import.meta.url);
  await writeFile(measured, `${JSON.stringify(page, null, 2)}\n`);
});
