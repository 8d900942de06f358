import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteStore, sqliteFileName } from '@quartermaster/store';
import type { Store, TurnBegin } from '@quartermaster/store';
import { createSessionStore } from '../src/sessions.ts';
import { sql, sqlText } from '../src/sql.ts';
import type { Sql } from '../src/sql.ts';
import { migrate } from '../src/sqlite/migrations.ts';
import { sqliteMigrations } from '../src/sqlite/schema.ts';
import { startChild } from './child.ts';
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
  await using child = startChild('hold-turn', [folder.path, 'dead', '700']);
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

test('DP1: a session of before there was a deferral state has no baseline yet', () => {
  using database = new DatabaseSync(':memory:');
  migrate(
    database,
    sqliteMigrations.slice(0, 1 + sqliteMigrations.findIndex(({ name }) => name.endsWith('-sessions'))),
  );
  database.exec(`
    insert into session (app, user_id, session, title, origin, created_at_ms, updated_at_ms)
    values ('app', 'alice', 'ses', '', 'run', 1, 1)`);
  migrate(database, sqliteMigrations);
  expect(database.prepare('select tool_deferrals, tool_deferrals_aside from session').all()).toEqual([
    { tool_deferrals: null, tool_deferrals_aside: null },
  ]);
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

test('every statement of sessions finds its rows by an index, and no page is sorted after it was read', async () => {
  using database = new DatabaseSync(':memory:');
  migrate(database, sqliteMigrations);
  const statements: Sql[] = [];
  const note = (statement: Sql): void => void statements.push(statement);
  const sessions = createSessionStore({
    nowMs: sql`0`,
    all: async (statement) => (note(statement), []),
    run: async (statement) => (note(statement), 1),
    batch: async (batch) => (batch.forEach(note), 1),
  });
  const before = { updatedAtMs: 1, session: 'ses' };
  const options = { title: '', atMs: 1, beforePosition: 1 };
  await sessions.create({ ...key, title: '', origin: 'run', parent: 'ses', createdAtMs: 1 });
  await sessions.read(key);
  await sessions.list(key, { limit: 1 });
  await sessions.list(key, { limit: 1, before });
  await sessions.rename(key, '');
  await sessions.items(key);
  await sessions.calls(key);
  await sessions.beginTurn(key, holdOf('turn'));
  await sessions.renewTurn(key, holdOf('turn'));
  await sessions.endTurn(key, 'turn');
  await sessions.append(key, 'turn', [itemOf('one')], {
    request: { id: 'r', contentHash: 'h' },
    toolDeferrals: null,
  });
  await sessions.startCall(key, 'turn', { item: 'one', index: 0 });
  await sessions.saveToolDeferrals(key, 'turn', {
    state: '',
    declarations: [{ digest: 'd', declaration: '' }],
  });
  await sessions.readToolDeferrals(key);
  await sessions.setToolDeferralsAside(key, 'turn');
  await sessions.copy(key, 'copy', options);
  await sessions.delete(key);
  const scans = statements.flatMap((statement) => {
    const text = sqlText(statement, () => '?');
    const plan = database.prepare(`explain query plan ${text}`).all(...statement.values);
    const isScan = text.includes('limit') ? /^SCAN|TEMP B-TREE/ : /^SCAN (?!CONSTANT|family|line|part|call)/;
    return plan.flatMap(({ detail }) => (isScan.test(String(detail)) ? [`${String(detail)}: ${text}`] : []));
  });
  expect(scans).toEqual([]);
});

/** The store, closed at the end of the scope. */
async function open(folder: TemporaryFolder): Promise<Store & AsyncDisposable> {
  const store = await openSqliteStore({ folder: folder.path, clock: Date });
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}
