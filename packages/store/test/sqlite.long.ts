import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { openSqliteStore, sqliteFileName } from '@quartermaster/store';
import type { Durability } from '@quartermaster/store';
import { startChild } from './child.ts';
import { claimed, threadRecord } from './records.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

test('case 125: a write gives up with STORE_BUSY after 5 s behind a lock, and the next one succeeds', async () => {
  await using folder = await createTemporaryFolder();
  const store = await openSqliteStore({ folder: folder.path, clock: Date });
  await using child = startChild('hold-lock', [store.location]);
  expect(await child.readLine()).toBe('HELD');
  const startedAtMs = performance.now();
  await expect(store.threads.settle(threadRecord())).rejects.toMatchObject({ code: 'STORE_BUSY' });
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(5_000);
  child.say('release');
  expect(await child.readLine()).toBe('RELEASED');
  await store.threads.settle(threadRecord());
  await store.close();
});

test('case 125: 24 processes beside a busy writer all get their claim', async () => {
  await using folder = await createTemporaryFolder();
  await using writer = startChild('claim-until-killed', [folder.path, 'writer', 'normal']);
  expect(await writer.readLine()).toMatch(/^writer-/);
  await using children = new AsyncDisposableStack();
  const all = Array.from({ length: 24 }, (_, index) =>
    children.use(startChild('open-and-claim', [folder.path, `ses-${index}`])),
  );
  const drain = (async () => {
    while ((await writer.readLine()) !== undefined);
  })();
  const lines = await Promise.all(all.map((child) => child.readLine()));
  expect(lines.map((line) => JSON.parse(line ?? '{}').claim?.type)).toEqual(all.map(() => 'won'));
  writer.kill();
  await drain;
});

test('FA4: every claim that was won is there after each of 200 kills at random moments', async () => {
  await using folder = await createTemporaryFolder();
  const kills = fc.sample(fc.nat({ max: 1_000 }), { seed: inject('seed'), numRuns: 200 });
  const won: string[] = [];
  for (const [run, claims] of kills.entries()) {
    const durability = run % 2 === 0 ? 'normal' : 'full';
    await using child = startChild('claim-until-killed', [folder.path, `run-${run}`, durability]);
    for (let count = 0; count <= claims; count += 1) won.push((await child.readLine()) ?? 'nothing');
  }
  const store = await openSqliteStore({ folder: folder.path, clock: Date });
  for (const session of won) {
    expect((await store.threads.read(threadRecord({ session })))?.session).toBe(session);
  }
  await store.close();
  using database = new DatabaseSync(join(folder.path, sqliteFileName));
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});

test.for<Durability>(['normal', 'full'])(
  'O1: with durability %s, 99 of 100 claims are confirmed within 50 ms',
  async (durability) => {
    await using folder = await createTemporaryFolder();
    const store = await openSqliteStore({ folder: folder.path, durability, clock: Date });
    const tookMs: number[] = [];
    for (let index = 0; index < 2_000; index += 1) {
      const startedAtMs = performance.now();
      await claimed(store, threadRecord({ session: `ses-${index}` }));
      tookMs.push(performance.now() - startedAtMs);
    }
    await store.close();
    tookMs.sort((one, other) => one - other);
    console.log(
      `claims, ${durability}: median ${tookMs[1_000]?.toFixed(3)} ms, p99 ${tookMs[1_980]?.toFixed(3)} ms`,
    );
    expect(tookMs[1_980]).toBeLessThan(50);
  },
);
