import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Database } from '../src/database.ts';
import type { Sql } from '../src/sql.ts';
import { sql } from '../src/sql.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import type { SqliteDatabase } from '../src/sqlite/database.ts';
import { maxPending } from '../src/sqlite/running-worker.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

test('a worker that dies rejects what is under way with STORE_FAILED, and the next call starts another', async () => {
  await using opened = await openWithWorkers();
  const database = opened.database.connection('normal');
  const underWay = [database.run(insertVerdict('a')), database.all(countVerdicts)];
  const [ended] = [opened.workers[0]?.terminate()];
  for (const call of underWay) await expect(call).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await ended;
  await database.run(insertVerdict('b'));
  expect(opened.workers).toHaveLength(2);
});

test('a worker that dies again and again is started once a second', async () => {
  await using opened = await openWithWorkers();
  const database = opened.database.connection('normal');
  await opened.workers[0]?.terminate();
  await database.all(countVerdicts);
  await opened.workers[1]?.terminate();
  await expect(database.all(countVerdicts)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(opened.workers).toHaveLength(2);
  opened.clock.nowMs += 1_000;
  await Promise.all([database.all(countVerdicts), database.all(countVerdicts)]);
  expect(opened.workers).toHaveLength(3);
  await opened.workers[2]?.terminate();
  opened.clock.nowMs -= 3_600_000; // FA4: a clock that jumps
  await database.all(countVerdicts);
  expect(opened.workers).toHaveLength(4);
});

test('a store can be closed after its worker died', async () => {
  await using opened = await openWithWorkers();
  await opened.workers[0]?.terminate();
  await opened.database.close();
  await expect(opened.database.connection('normal').all(countVerdicts)).rejects.toMatchObject({
    code: 'STORE_CLOSED',
  });
});

test('FA5: calls beyond the bound are turned away with STORE_BUSY, and those within it are served', async () => {
  await using opened = await openWithWorkers();
  const database = opened.database.connection('normal');
  const calls = Array.from({ length: maxPending + 1 }, () => database.all(countVerdicts));
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(maxPending);
  expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'STORE_BUSY' } });
});

test('a batch is kept whole or not at all, and its neighbours in the same moment are kept', async () => {
  await using opened = await openWithWorkers();
  const database = opened.database.connection('normal');
  const outcomes = await Promise.allSettled([
    database.run(insertVerdict('before')),
    database.batch([insertVerdict('half'), insertVerdict('half')]), // the second breaks the primary key
    database.run(insertVerdict('after')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await database.all(sql`select model from verdict order by model`)).toEqual([
    { model: 'after' },
    { model: 'before' },
  ]);
});

test('FA4: when the disk is full a write says so, and exactly what resolved is kept', async () => {
  await using opened = await openWithWorkers();
  const database = opened.database.connection('normal');
  await database.run(sql`pragma max_page_count = 16`);
  const models = ['small', 'large'.repeat(50_000), 'after'];
  const outcomes = await Promise.allSettled(models.map((model) => database.run(insertVerdict(model))));
  expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_FULL' } });
  expect(await modelsOf(database)).toEqual(resolvedOf(models, outcomes));
});

test('a failure that ends a shared transaction gives its reason, and exactly what resolved is kept', async () => {
  await using opened = await openWithWorkers();
  const database = opened.database.connection('normal');
  await database.run(insertVerdict('there'));
  const outcomes = await Promise.allSettled([
    database.run(insertVerdict('before')),
    database.run(sql`insert or rollback into verdict values ('u', 'there', 'r', 'pass', 0)`),
    database.run(insertVerdict('after')),
  ]);
  expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringContaining('UNIQUE') } });
  expect(await modelsOf(database)).toEqual(resolvedOf(['before', 'there', 'after'], outcomes, ['there']));
  await database.run(insertVerdict('next'));
  expect(await modelsOf(database)).toContain('next');
});

test('each write runs on its own connection, also among those of the other', async () => {
  await using opened = await openWithWorkers();
  const [normal, full] = [opened.database.connection('normal'), opened.database.connection('full')];
  await full.run(sql`create temp table only_here (number integer)`); // no other connection sees it
  const insert = sql`insert into only_here values (1)`;
  const writes = [
    normal.run(insertVerdict('a')),
    full.run(insert),
    normal.run(insertVerdict('b')),
    full.run(insert),
  ];
  expect(await Promise.all(writes)).toEqual([1, 1, 1, 1]);
});

test('a batch answers how many rows it changed', async () => {
  await using opened = await openWithWorkers();
  const database = opened.database.connection('full');
  expect(await database.batch([insertVerdict('a'), insertVerdict('b'), sql`delete from verdict`])).toBe(4);
  expect(await database.batch([])).toBe(0);
});

test('more statements than are kept prepared all run', async () => {
  await using opened = await openWithWorkers();
  const database = opened.database.connection('normal');
  const numbers = Array.from({ length: 600 }, (_, index) => index % 300);
  const texts = numbers.map((number): Sql => ({ texts: [`select ${number} as number`], values: [] }));
  const rows = await Promise.all(texts.map((text) => database.all<{ number: number }>(text)));
  expect(rows.map(([row]) => row?.number)).toEqual(numbers);
});

test('each connection commits as its durability says, checks foreign keys and writes ahead', async () => {
  await using opened = await openWithWorkers();
  const pragmas = sql`select synchronous, foreign_keys, journal_mode, timeout from pragma_synchronous, pragma_foreign_keys, pragma_journal_mode, pragma_busy_timeout`;
  const common = { foreign_keys: 1, journal_mode: 'wal', timeout: 5_000 };
  await opened.database.connection('normal').run(insertVerdict('a'));
  expect(await opened.database.connection('normal').all(pragmas)).toEqual([{ synchronous: 1, ...common }]);
  expect(await opened.database.connection('full').all(pragmas)).toEqual([{ synchronous: 2, ...common }]);
});

test('the compiled package opens a store with its compiled worker', async () => {
  await using folder = await createTemporaryFolder();
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const compile = [join(root, 'node_modules/@typescript/native/bin/tsc'), '-p', join(root, 'packages/store')];
  await run([...compile, '--outDir', folder.path, '--tsBuildInfoFile', join(folder.path, 'info')]);
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');
  const script = `
    const { openSqliteStore } = await import(process.argv[1]);
    const store = await openSqliteStore({ folder: process.argv[2], clock: Date });
    console.log(JSON.stringify(await store.verdicts.load()));
    await store.close();`;
  const { stdout } = await run(['-e', script, join(folder.path, 'index.js'), join(folder.path, 'state')]);
  expect(stdout).toBe('[]\n');
});

function run(args: readonly string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, args);
}

const countVerdicts = sql`select count(*) as count from verdict`;

function insertVerdict(model: string): Sql {
  return sql`insert into verdict values ('u', ${model}, 'r', 'pass', 0)`;
}

async function modelsOf(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.all<{ model: string }>(sql`select model from verdict`);
  return new Set(rows.map(({ model }) => model));
}

/** The models whose write resolved, and those that were there before. */
function resolvedOf(
  models: readonly string[],
  outcomes: readonly PromiseSettledResult<unknown>[],
  before: readonly string[] = [],
): ReadonlySet<string> {
  return new Set([...before, ...models.filter((_, index) => outcomes[index]?.status === 'fulfilled')]);
}

interface Opened extends AsyncDisposable {
  readonly database: SqliteDatabase;
  readonly workers: readonly Worker[];
  readonly clock: { nowMs: number; now(): number };
}

/** A store whose worker threads the test can end. */
async function openWithWorkers(): Promise<Opened> {
  const folder = await createTemporaryFolder();
  const workers: Worker[] = [];
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const database = await openSqliteDatabase({
    file: join(folder.path, 'test.db'),
    access: 'write',
    clock,
    startWorker(workerData) {
      const worker = new Worker(new URL('../src/sqlite/worker.ts', import.meta.url), { workerData });
      workers.push(worker);
      return worker;
    },
  });
  return {
    database,
    workers,
    clock,
    async [Symbol.asyncDispose]() {
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
