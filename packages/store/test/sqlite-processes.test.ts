import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { openSqliteStore, sqliteFileName } from '@quartermaster/store';
import type { Claim, Durability } from '@quartermaster/store';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { claimed, sessionHistory, threadRecord } from './records.ts';
import { createTemporaryFolder } from './temporary-folder.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

const open = (folder: TemporaryFolder, durability: Durability = 'normal') =>
  openSqliteStore({ folder: folder.path, durability, clock: Date });

test('O2: two processes that claim 200 threads at once see the same decision for each', async () => {
  await using folder = await createTemporaryFolder();
  await using one = startChild('race', [folder.path, 'one', '200']);
  await using two = startChild('race', [folder.path, 'two', '200']);
  expect([await one.readLine(), await two.readLine()]).toEqual(['READY', 'READY']);
  one.say('go');
  two.say('go');
  const [ofOne, ofTwo] = [await readClaims(one), await readClaims(two)];
  expect(ofOne.map(decisionOf)).toEqual(ofTwo.map(decisionOf));
  const winners = ofOne.map((claim, index) => new Set([claim.type, ofTwo[index]?.type]));
  expect(winners).toEqual(ofOne.map(() => new Set(['won', 'taken'])));
});

test('O1: a claim that was won survives a kill -9 in the same moment', async () => {
  await using folder = await createTemporaryFolder();
  await using child = startChild('die-after-claim', [folder.path, 'ses']);
  expect(await child.readLine()).toBe('WON');
  expect(await child.end).toBe('SIGKILL');
  await using store = closing(await open(folder));
  expect(await store.threads.read(threadRecord())).toMatchObject({ session: 'ses', attempt: 'attempt-1' });
});

test('FA4: every claim that was won is there after each of 20 kills at random moments', async () => {
  await using folder = await createTemporaryFolder();
  const won: string[] = [];
  const kills = fc.sample(fc.nat({ max: 150 }), { seed: inject('seed'), numRuns: 20 });
  for (const [run, claims] of kills.entries()) {
    await using child = startChild('claim-until-killed', [
      folder.path,
      `run-${run}`,
      run % 2 ? 'full' : 'normal',
    ]);
    for (let count = 0; count <= claims; count += 1) won.push((await child.readLine()) ?? 'nothing');
    child.kill();
    await child.end;
  }
  await using store = closing(await open(folder));
  const read = await Promise.all(won.map((session) => store.threads.read(threadRecord({ session }))));
  expect(read.map((record) => record?.session)).toEqual(won);
  using database = new DatabaseSync(join(folder.path, sqliteFileName));
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});

test('case 125: a write waits for another process that holds the lock for 1.5 s, and succeeds', async () => {
  await using folder = await createTemporaryFolder();
  await using store = closing(await open(folder));
  await using child = await holdLock(store.location, ['1500']);
  await claimed(store, threadRecord());
  expect(await child.readLine()).toBe('RELEASED');
});

test('O1: while another process holds the lock a claim is unconfirmed at its deadline and inserts nothing later', async () => {
  await using folder = await createTemporaryFolder();
  await using store = closing(await open(folder));
  await using child = await holdLock(store.location);
  const startedAtMs = performance.now();
  const claim = await store.threads.claim(threadRecord(), { deadlineMs: Date.now() + 50 });
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  expect(claim).toEqual({ type: 'unconfirmed', attempt: 'attempt-1' });

  child.say('release');
  await store.threads.touch([threadRecord()], 0); // comes after the claim in the queue
  expect(await store.threads.read(threadRecord())).toBeUndefined();

  const nothing = threadRecord({ decision: 'nothing' });
  await store.threads.settle(nothing);
  expect(await store.threads.read(nothing)).toEqual(nothing);
});

test('O3: records are read at once while a write of this process waits for the lock', async () => {
  await using folder = await createTemporaryFolder();
  await using store = closing(await open(folder));
  const record = await claimed(store, threadRecord());
  await using child = await holdLock(store.location);
  const order: string[] = [];
  const write = store.history.save([sessionHistory()]).then(() => order.push('write'));
  for (let index = 0; index < 5; index += 1) expect(await store.threads.read(record)).toEqual(record);
  order.push('reads');
  child.say('release');
  await write;
  expect(order).toEqual(['reads', 'write']);
});

test('a store that is up to date is opened while another process holds the lock', async () => {
  await using folder = await createTemporaryFolder();
  await using first = closing(await open(folder));
  await using child = await holdLock(first.location);
  const second = await open(folder);
  child.say('release');
  expect(await child.readLine()).toBe('RELEASED');
  expect(await second.threads.read(threadRecord())).toBeUndefined();
  await second.close();
});

test('FA4: on a full disk a claim is unconfirmed with the reason, and what was written is still read', async () => {
  await using folder = await createTemporaryFolder();
  const shell = `trap '' XFSZ; ulimit -f 800`; // no file above some hundred kB: the tables alone take more than a hundred
  await using child = startChild('fill-disk', [folder.path], { shell });
  expect(await child.readLine()).toMatch(/^STORE_(FULL|FAILED)$/);
  expect(await child.readLine()).toBe('true');
  expect(await child.end).toBe(0);
});

async function holdLock(file: string, args: readonly string[] = []): Promise<Child> {
  const child = startChild('hold-lock', [file, ...args]);
  expect(await child.readLine()).toBe('HELD');
  return child;
}

async function readClaims(child: Child): Promise<readonly Claim[]> {
  return JSON.parse((await child.readLine()) ?? '[]') as Claim[];
}

function decisionOf(claim: Claim): string | undefined {
  return claim.type === 'unconfirmed' ? undefined : claim.record.decision;
}

/** The store, closed at the end of the scope. */
function closing<Resource extends { close(): Promise<void> }>(
  resource: Resource,
): Resource & AsyncDisposable {
  return { ...resource, [Symbol.asyncDispose]: () => resource.close() };
}
