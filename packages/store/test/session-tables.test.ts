import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { SessionKey, SessionStore } from '@quartermaster/store';
import { createSessionStore } from '../src/sessions.ts';
import { sql, sqlText } from '../src/sql.ts';
import type { Sql } from '../src/sql.ts';
import { migrate } from '../src/sqlite/migrations.ts';
import { sqliteMigrations } from '../src/sqlite/schema.ts';
import { createSessionTaskStore } from '../src/tasks.ts';
import { createTables, inProcess } from './in-process.ts';
import { holdOf, itemOf, key, otherKeys, spentOf } from './session-records.ts';

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

test('a deleted session leaves no row in any table, nor do its sub-sessions', async () => {
  using database = createTables();
  const [sessions, tasks] = [
    createSessionStore(inProcess(database)),
    createSessionTaskStore(inProcess(database)),
  ];
  const family = ['ses', 'sub', 'below'];
  for (const [index, session] of family.entries()) {
    const of = { ...key, session };
    const parent = family[index - 1];
    await sessions.create({ ...of, title: '', origin: 'run', parent, createdAtMs: 1 }, { turn: 'turn' });
    await sessions.beginTurn(of, holdOf('turn'));
    await sessions.append(of, 'turn', [itemOf('one')], {
      request: { id: 'request', contentHash: 'hash' },
      toolDeferrals: { state: '{}', declarations: [{ digest: session, declaration: '{}' }] },
    });
    await sessions.startCall(of, 'turn', { item: 'one', index: 0 });
    await tasks.savePlan(of, 'plan');
    await tasks.saveTasks(of, [{ title: 'task', status: 'done' }]);
  }
  const filled = tablesWithRows(database);
  expect(filled).toEqual([
    'session',
    'session_call',
    'session_declaration',
    'session_item',
    'session_plan',
    'session_receipt',
    'session_task',
    'tool_declaration',
  ]);
  await sessions.delete(key);
  expect(tablesWithRows(database)).toEqual([]);
});

test('RS5: whatever is done to one session, the rows of other apps, users and sessions stay as they are', async () => {
  using database = createTables();
  const sessions = createSessionStore(inProcess(database));
  const tasks = createSessionTaskStore(inProcess(database));
  for (const of of [key, ...otherKeys]) {
    await sessions.create({ ...of, title: '', origin: 'run', parent: undefined, createdAtMs: 1 });
    await sessions.beginTurn(of, holdOf('turn'));
    await sessions.append(of, 'turn', [itemOf('one')], {
      request: { id: 'request', contentHash: 'hash' },
      toolDeferrals: { state: '{}', declarations: [{ digest: 'd', declaration: '{}' }] },
    });
    await sessions.startCall(of, 'turn', { item: 'one', index: 0 });
    await tasks.savePlan(of, 'plan');
    await tasks.saveTasks(of, [{ title: 'task', status: 'done' }]);
  }
  const rowsOfOthers = () => otherKeys.map((of) => rowsOf(database, of));
  const before = rowsOfOthers();
  await doEverything(sessions);
  expect(rowsOf(database, key)).toEqual([]);
  expect(rowsOfOthers()).toEqual(before);
  expect(before.map((rows) => rows.length)).toEqual(otherKeys.map(() => 7));
});

test('RS1: no statement changes an item, or takes one away but with its session', async () => {
  const statements = await statementsOfEverything();
  expect(statements.length).toBeGreaterThan(30);
  for (const { text } of statements)
    expect(text).not.toMatch(/\b(update|delete from|replace into) session_item\b/);
});

test('every statement of sessions finds its rows by an index, and no page is sorted after it was read', async () => {
  using database = createTables();
  const faults = (await statementsOfEverything()).flatMap(({ text, values }) => {
    const allOfUser = String.raw`\(app=\? AND user_id=\?\)`;
    const fault = text.includes('limit')
      ? /^SCAN|TEMP B-TREE/
      : new RegExp(`^SCAN (?!CONSTANT|family|line|part|call)|${allOfUser}`);
    const plan = database.prepare(`explain query plan ${text}`).all(...values);
    return plan.map(({ detail }) => `${String(detail)}: ${text}`).filter((line) => fault.test(line));
  });
  expect(faults).toEqual([]);
});

/** Calls every method that there is; at the end the session of `key` is deleted. */
async function doEverything(sessions: SessionStore): Promise<void> {
  const copy = { ...key, session: 'copy' };
  await sessions.create({ ...key, title: '', origin: 'run', parent: 'ses', createdAtMs: 1 });
  await sessions.read(key);
  await sessions.list(key, { limit: 1 });
  await sessions.list(key, { limit: 1, before: { updatedAtMs: 1, session: 'ses' } });
  await sessions.rename(key, 'A title');
  await sessions.items(key);
  await sessions.calls(key);
  await sessions.beginTurn(key, holdOf('turn'));
  await sessions.takeTurn(key, holdOf('next'), { turn: 'turn' });
  await sessions.renewTurn(key, holdOf('next'));
  const request = { id: 'another request', contentHash: 'hash' };
  await sessions.append(key, 'next', [itemOf('two')], { request, spent: spentOf(1), toolDeferrals: null });
  await sessions.startCall(key, 'next', { item: 'two', index: 0 });
  await sessions.endCall(key, 'next', { item: 'one', index: 0 }, '"result"');
  await sessions.saveToolDeferrals(key, 'next', {
    state: '',
    declarations: [{ digest: 'e', declaration: '' }],
  });
  await sessions.readToolDeferrals(key);
  await sessions.setToolDeferralsAside(key, 'next');
  await sessions.copy(key, 'copy', { title: '', atMs: 1, beforePosition: 0 });
  await sessions.endTurn(key, 'next');
  await sessions.delete(copy);
  await sessions.delete(key);
}

/** As an engine is asked for them; each seems to find a row, and to change one. */
async function statementsOfEverything(): Promise<
  readonly { readonly text: string; readonly values: Sql['values'] }[]
> {
  const statements: Sql[] = [];
  const sessions = createSessionStore({
    nowMs: sql`0`,
    async all<Row>(statement: Sql) {
      statements.push(statement);
      return [{ length: 1 }] as readonly unknown[] as readonly Row[];
    },
    async run(statement) {
      statements.push(statement);
      return 1;
    },
    async batch(several) {
      statements.push(...several);
      return several.length;
    },
  });
  await doEverything(sessions);
  return statements.map((statement) => ({ text: sqlText(statement, () => '?'), values: statement.values }));
}

/** The rows of one session in all tables, as JSON. */
function rowsOf(database: DatabaseSync, { app, user, session }: SessionKey): readonly string[] {
  return tablesWithRows(database)
    .filter((name) => name !== 'tool_declaration') // which sessions share
    .flatMap((name) =>
      database
        .prepare(`select * from ${name} where app = ? and user_id = ? and session = ?`)
        .all(app, user, session)
        .map((row) => JSON.stringify({ name, ...row })),
    );
}

/** Of those that are keyed by a user. */
function tablesWithRows(database: DatabaseSync): readonly string[] {
  const tables = database
    .prepare(`select m.name from sqlite_schema as m join pragma_table_info(m.name) as c on c.name = 'user_id'
      where m.type = 'table' order by m.name`)
    .all();
  return tables
    .map(({ name }) => String(name))
    .filter((name) => database.prepare(`select 1 from ${name}`).get() !== undefined);
}
