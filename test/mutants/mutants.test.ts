import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { mutants } from './all.ts';

/** Judges at work: as many as there are cores in the smallest machine that this runs on. */
const judgeCount = 2;

const outcomes = new Map(mutants.map(({ name }) => [name, Promise.withResolvers<readonly string[]>()]));
const judges = Array.from({ length: judgeCount }, (_, number) => startJudge(number));

afterAll(() => judges.forEach((judge) => judge.kill()));

/** Those of one test file go to one judge, which has loaded it already. */
function startJudge(number: number): ChildProcess {
  const files = [...new Set(mutants.map(({ killedBy }) => killedBy.file))];
  const indexes = [...mutants.keys()].filter(
    (index) => files.indexOf(mutants[index]?.killedBy.file ?? '') % judgeCount === number,
  );
  const inOrder = indexes.toSorted(
    (left, right) =>
      files.indexOf(mutants[left]?.killedBy.file ?? '') - files.indexOf(mutants[right]?.killedBy.file ?? ''),
  );
  const program = path.join(import.meta.dirname, 'judge.ts');
  const options = ['--conditions=quartermaster-source', program, ...inOrder.map(String)];
  const judge = spawn(process.execPath, options, {
    env: { ...process.env, QM_TEST_TIER: 'quick' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  judge.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  createInterface({ input: judge.stdout }).on('line', (line) => {
    if (!line.startsWith('{"name":')) return;
    const { name, outcomes: found } = JSON.parse(line) as { name: string; outcomes: readonly string[] };
    outcomes.get(name)?.resolve(found);
  });
  judge.once('close', () => {
    const gone = new Error(`the judge ended before it came to this mutant: ${said.slice(-2_000)}`);
    for (const index of inOrder) outcomes.get(mutants[index]?.name ?? '')?.reject(gone);
  });
  return judge;
}

for (const { promise } of outcomes.values()) promise.catch(() => undefined); // asked for below, each in its test

test.concurrent.each(mutants)(
  'mutant "$name" is killed by a test of its rule',
  { timeout: 1_200_000 },
  async ({ name }) => {
    expect(await outcomes.get(name)?.promise).toContain('failed');
  },
);

test('the names of mutants are unique', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
