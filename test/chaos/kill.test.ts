import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { expectMostDeferred, expectUnmoved, killPoints } from './kill-expectations.ts';
import { playKills, playWithoutStore } from './kill-story.ts';

const kills = 20;

test(
  'FA4, laws 3 and 4: a session in whose midst the gateway is killed keeps its prefix, wherever that happens',
  { timeout: 180_000 },
  async () => {
    const sessions = await playKills(killPoints(kills, inject('seed')));
    for (const session of sessions) expectUnmoved(session);
    expectMostDeferred(sessions);
    expect(sessions.filter(({ wasKilled }) => wasKilled).length).toBeGreaterThan(kills / 2);
  },
);

test(
  'O1, law 1: where no store can be, ultrahigh changes no byte, says so in one line, and a restart changes nothing',
  { timeout: 60_000 },
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'qm-no-store-'));
    const occupied = join(folder.path, 'occupied');
    await writeFile(occupied, 'a file stands where the store would be');
    const { sent, arrived, warnings } = await playWithoutStore(occupied);
    expect(arrived).toEqual(sent);
    expect(arrived.length).toBeGreaterThan(8);
    expect(warnings).toEqual([1, 1]);
  },
);
