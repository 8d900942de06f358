import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { openSqliteStore, sqliteFileName } from '@quartermaster/store';
import type { Store, TurnBegin } from '@quartermaster/store';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { holdOf, idsOf, itemOf, key, makeSession, spentOf } from './session-records.ts';
import { createTemporaryFolder } from './temporary-folder.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

test('L1: of four processes that begin a turn on each of 50 sessions at once exactly one gets each', async () => {
  await using folder = await createTemporaryFolder();
  await using store = await open(folder);
  for (let index = 0; index < 50; index += 1) await makeSession(store, { ...key, session: `ses-${index}` });
  await using children = new AsyncDisposableStack();
  const all = ['one', 'two', 'three', 'four'].map((name) =>
    children.use(startChild('race-turns', [folder.path, name, '50'])),
  );
  for (const child of all) expect(await child.readLine()).toBe('READY');
  for (const child of all) child.say('go');
  const outcomes: TurnBegin[][] = [];
  for (const child of all) outcomes.push(JSON.parse((await child.readLine()) ?? '[]') as TurnBegin[]);
  for (let index = 0; index < 50; index += 1) {
    const ofSession = outcomes.map((ofChild) => ofChild[index]);
    expect(ofSession.filter((outcome) => outcome?.type === 'begun')).toHaveLength(1);
    const holders = ofSession.map((outcome) => (outcome?.type === 'busy' ? outcome.turn : undefined));
    expect(new Set(holders).size).toBe(2);
  }
});

test('L1, RS1: turns of three processes never interleave, and every position is taken once', async () => {
  await using folder = await createTemporaryFolder();
  await using store = await open(folder);
  await makeSession(store);
  await using children = new AsyncDisposableStack();
  const all = ['one', 'two', 'three'].map((name) =>
    children.use(startChild('take-turns', [folder.path, name, '20'])),
  );
  for (const child of all) expect(await child.readLine()).toBe('READY');
  for (const child of all) child.say('go');
  for (const child of all) expect(await child.readLine()).toBe('DONE');
  const items = await store.sessions.items(key);
  expect(items.map(({ position }) => position)).toEqual(
    Array.from({ length: 180 }, (_, position) => position),
  );
  for (let position = 0; position < 180; position += 3) {
    const { body } = items[position] ?? itemOf('none');
    const ids = items.slice(position, position + 3).map(({ id }) => id);
    expect(ids).toEqual([`${body}-first`, `${body}-second`, `${body}-third`]);
  }
  expect(await store.sessions.read(key)).toMatchObject({ totals: spentOf(180) });
});

test('L1: a session whose process was killed is free when the lease of its turn is over', async () => {
  await using folder = await createTemporaryFolder();
  await using store = await open(folder);
  await makeSession(store);
  await using child = startChild('hold-turn', [folder.path, 'dead', '2000']);
  expect(await child.readLine()).toBe('begun');
  child.say('one');
  expect(await child.readLine()).toBe('appended');
  child.kill();
  await child.end;
  let attempts = 0;
  while ((await store.sessions.beginTurn(key, holdOf('next'))).type !== 'begun') attempts += 1;
  expect(attempts).toBeGreaterThan(0);
  expect(await idsOf(store)).toEqual(['one']);
});

test('L1: a process that was taken for dead writes no more', async () => {
  await using folder = await createTemporaryFolder();
  await using store = await open(folder);
  await makeSession(store);
  await using child = startChild('hold-turn', [folder.path, 'slow', '60000']);
  expect(await child.readLine()).toBe('begun');
  expect(await store.sessions.takeTurn(key, holdOf('next'), { turn: 'slow' })).toEqual({ type: 'begun' });
  child.say('late');
  expect(await child.readLine()).toBe('STORE_TURN_LOST');
  expect(await idsOf(store)).toEqual([]);
});

test('RS1: after each of five kills at random moments every append is there that was answered, and none by half', async () => {
  await using folder = await createTemporaryFolder();
  await using store = await open(folder);
  await makeSession(store);
  const answered: string[] = [];
  const kills = fc.sample(fc.nat({ max: 150 }), { seed: inject('seed'), numRuns: 5 });
  for (const [run, appends] of kills.entries()) {
    await using child = startChild('append-until-killed', [folder.path, `run-${run}`]);
    for (let count = 0; count <= appends; count += 1) answered.push((await child.readLine()) ?? 'nothing');
    child.kill();
    await child.end;
  }
  const items = await store.sessions.items(key);
  const pairs = items.flatMap(({ id }) => (id.endsWith('-call') ? [id.replace('-call', '')] : []));
  expect(items.map(({ id }) => id)).toEqual(pairs.flatMap((pair) => [`${pair}-call`, `${pair}-result`]));
  expect(pairs).toEqual(expect.arrayContaining(answered));
  expect(await store.sessions.read(key)).toMatchObject({ totals: spentOf(items.length) });
});

test('RS4: a request that two processes send again and again at once is appended once', async () => {
  await using folder = await createTemporaryFolder();
  await using store = await open(folder);
  await makeSession(store, key, { turn: 'turn' });
  await using one = startChild('repeat-request', [folder.path, 'turn', '50']);
  await using two = startChild('repeat-request', [folder.path, 'turn', '50']);
  expect([await one.readLine(), await two.readLine()]).toEqual(['READY', 'READY']);
  one.say('go');
  two.say('go');
  const [ofOne, ofTwo] = [await readOutcomes(one), await readOutcomes(two)];
  const pairs = ofOne.map((type, index) => new Set([type, ofTwo[index]]));
  expect(pairs).toEqual(pairs.map(() => new Set(['appended', 'repeated'])));
  expect(pairs).toHaveLength(50);
  expect(await idsOf(store)).toHaveLength(50);
});

test('DP1, DP4: a state that was set aside is kept, and a declaration goes with the last session that names it', async () => {
  await using folder = await createTemporaryFolder();
  await using store = await open(folder);
  await makeSession(store, key, { turn: 'turn' });
  await makeSession(store, { ...key, session: 'ses2' }, { turn: 'turn' });
  const declarations = [{ digest: 'd', declaration: '{}' }];
  await store.sessions.saveToolDeferrals(key, 'turn', { state: '{torn', declarations });
  await store.sessions.saveToolDeferrals({ ...key, session: 'ses2' }, 'turn', { state: '{}', declarations });
  await store.sessions.setToolDeferralsAside(key, 'turn');
  await store.sessions.setToolDeferralsAside(key, 'turn');
  using database = new DatabaseSync(join(folder.path, sqliteFileName));
  const texts = database.prepare('select tool_deferrals, tool_deferrals_aside from session order by session');
  expect(texts.all()).toEqual([
    { tool_deferrals: null, tool_deferrals_aside: '{torn' },
    { tool_deferrals: '{}', tool_deferrals_aside: null },
  ]);
  const count = database.prepare('select count(*) as count from tool_declaration');
  await store.sessions.delete(key);
  expect(count.get()).toEqual({ count: 1 });
  await store.sessions.delete({ ...key, session: 'ses2' });
  expect(count.get()).toEqual({ count: 0 });
});

async function readOutcomes(child: Child): Promise<readonly string[]> {
  return JSON.parse((await child.readLine()) ?? '[]') as string[];
}

/** The store, closed at the end of the scope. */
async function open(folder: TemporaryFolder): Promise<Store & AsyncDisposable> {
  const store = await openSqliteStore({ folder: folder.path, clock: Date });
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}
