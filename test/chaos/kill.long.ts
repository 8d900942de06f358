import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { expectMostDeferred, expectUnmoved, killPoints } from './kill-expectations.ts';
import { playKills } from './kill-story.ts';

const kills = 200;
const measured = new URL('../../docs/measured/', import.meta.url);

test('FA4, laws 3 and 4: 200 kills at random points move no prefix and lose no request', async () => {
  const seed = inject('seed');
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const sessions = await playKills(killPoints(kills, seed));
  for (const session of sessions) expectUnmoved(session);
  expectMostDeferred(sessions);
  const killed = sessions.filter(({ wasKilled }) => wasKilled);
  expect(killed.length).toBeGreaterThan(kills / 2);
  const page = {
    commit,
    seed,
    kills: killed.length,
    sessions: sessions.length,
    requests: sessions.reduce((sum, { requests }) => sum + requests.length, 0),
    sentAgain: sessions.reduce((sum, { retries }) => sum + retries, 0),
    flips: 0,
    refused: 0,
  };
  await mkdir(measured, { recursive: true });
  await writeFile(new URL('kills.json', measured), `${JSON.stringify(page, null, 2)}\n`);
});
