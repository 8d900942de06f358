import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openSqliteStore, sqliteFileName } from '@quartermaster/store';
import { networkFileSystems } from '../src/sqlite/file-systems.ts';
import { migrate } from '../src/sqlite/migrations.ts';
import type { Migration } from '../src/sqlite/migrations.ts';
import { sqliteMigrations } from '../src/sqlite/schema.ts';
import { startChild } from './child.ts';
import { claimed, farDeadline, threadRecord } from './records.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

const open = (folder: string, options: { fileSystemType?: () => Promise<number> } = {}) =>
  openSqliteStore({ folder, clock: Date, ...options });

describe('the folder', () => {
  test('is made with its parents; the store says where its file is', async () => {
    await using folder = await createTemporaryFolder();
    const store = await open(join(folder.path, 'state', 'quartermaster'));
    expect(store.location).toBe(join(folder.path, 'state', 'quartermaster', sqliteFileName));
    await store.close();
    expect(await readdir(join(folder.path, 'state', 'quartermaster'))).toEqual([sqliteFileName]);
  });

  test('belongs to its owner alone, and so do the file, its log and its shared memory, whatever the umask', async () => {
    await using folder = await createTemporaryFolder();
    await using child = startChild('open-and-claim', [join(folder.path, 'state'), 'ses'], {
      shell: 'umask 0',
    });
    const { modes } = JSON.parse((await child.readLine()) ?? '{}') as { modes: Record<string, number> };
    expect(modes).toEqual({
      '.': 0o700,
      [sqliteFileName]: 0o600,
      [`${sqliteFileName}-shm`]: 0o600,
      [`${sqliteFileName}-wal`]: 0o600,
    });
  });

  test('that is a file is refused', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, 'mine');
    await expect(open(file)).rejects.toMatchObject({ code: 'STORE_BAD_FOLDER' });
    await expect(open(join(file, 'below'))).rejects.toMatchObject({ code: 'STORE_BAD_FOLDER' });
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test('on a file system that takes no folders is refused, and not tried for ever', async () => {
    await expect(open('/proc/none/store')).rejects.toMatchObject({ code: 'STORE_BAD_FOLDER' });
  });

  test('that this user may not write is refused, with the place in the message', async () => {
    await using folder = await createTemporaryFolder();
    await chmod(folder.path, 0o755);
    await mkdir(join(folder.path, 'closed'), { mode: 0o555 });
    await using child = startChild('open-as-nobody', [join(folder.path, 'closed')]);
    expect(await child.readLine()).toMatch(/^STORE_READ_ONLY Expected .*closed/);
  });

  test('on a network file system is refused before anything is written there (case 127)', async () => {
    await using folder = await createTemporaryFolder();
    const state = join(folder.path, 'state');
    for (const [type, name] of networkFileSystems) {
      const opening = open(state, { fileSystemType: () => Promise.resolve(type) });
      await expect(opening).rejects.toMatchObject({
        code: 'STORE_NETWORK_FILE_SYSTEM',
        message: expect.stringContaining(name),
      });
    }
    expect(await readdir(state)).toEqual([]);
  });

  test('on a network file system is refused also where a 32-bit system gives its number as a negative one', async () => {
    await using folder = await createTemporaryFolder();
    const opening = open(folder.path, { fileSystemType: () => Promise.resolve(0xfe534d42 | 0) });
    await expect(opening).rejects.toMatchObject({ code: 'STORE_NETWORK_FILE_SYSTEM' });
  });
});

describe('the file', () => {
  test('RS2: of a later version is refused and left byte for byte as it was', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, sqliteFileName);
    await (await open(folder.path)).close();
    change(file, `insert into migration values ('9999-from-the-future', 0)`);
    const before = await readFile(file);
    await expect(open(folder.path)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'STORE_NEWER',
      message: expect.stringContaining('9999-from-the-future'),
    });
    expect(before.equals(await readFile(file))).toBe(true);
  });

  test('case 129: of each earlier version is brought forward with what it holds', async () => {
    await using folder = await createTemporaryFolder();
    const fresh = join(folder.path, sqliteFileName);
    make(fresh, sqliteMigrations);
    const tables = tablesOf(fresh);
    for (let count = 1; count < sqliteMigrations.length; count += 1) {
      const file = join(folder.path, String(count), sqliteFileName);
      await mkdir(join(folder.path, String(count)));
      make(file, sqliteMigrations.slice(0, count));
      change(file, `insert into thread values ('local', 'ses', 'main', '{}', 1, 'attempt', 1)`);
      const store = await open(join(folder.path, String(count)));
      const key = { tenant: 'local', session: 'ses', agent: 'main' };
      expect(await store.threads.read(key)).toMatchObject({ attempt: 'attempt' });
      await store.close();
      expect(tablesOf(file)).toEqual(tables);
    }
  });

  test('RS2: of another program is refused and left byte for byte as it was', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, sqliteFileName);
    change(file, 'create table bookmark (url text)');
    const before = await readFile(file);
    await expect(open(folder.path)).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
    expect(before.equals(await readFile(file))).toBe(true);
  });

  test('RS2: that is no database is refused and left as it was', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, sqliteFileName);
    await writeFile(file, 'not a database, but long enough to have a header of a hundred bytes '.repeat(4));
    const before = await readFile(file);
    await expect(open(folder.path)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    expect(before.equals(await readFile(file))).toBe(true);
  });

  test('RS2: with a damaged schema is refused and never replaced by an empty one', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, sqliteFileName);
    await (await open(folder.path)).close();
    const damaged = await readFile(file);
    damaged.fill(0xa5, 100, 4_096);
    await writeFile(file, damaged);
    await expect(open(folder.path)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    expect(damaged.equals(await readFile(file))).toBe(true);
  });

  test('RS2: that is missing beside a log with content is refused, since opening would throw the log away', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, sqliteFileName);
    await using child = startChild('die-after-claim', [folder.path, 'ses']);
    expect(await child.end).toBe('SIGKILL');
    await rm(file);
    await expect(open(folder.path)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
  });

  test('that this user may not write is refused, though it could be read', async () => {
    await using folder = await createTemporaryFolder();
    await (await open(folder.path)).close();
    await chmod(folder.path, 0o777);
    await chmod(join(folder.path, sqliteFileName), 0o444);
    await using child = startChild('open-as-nobody', [folder.path]);
    expect(await child.readLine()).toMatch(/^STORE_READ_ONLY Expected .*quartermaster\.db/);
  });

  test('that is a folder is refused', async () => {
    await using folder = await createTemporaryFolder();
    await mkdir(join(folder.path, sqliteFileName));
    await expect(open(folder.path)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  test('that was left empty by a death at its creation becomes a store', async () => {
    await using folder = await createTemporaryFolder();
    await writeFile(join(folder.path, sqliteFileName), '');
    const store = await open(folder.path);
    const record = await claimed(store, threadRecord());
    expect(await store.threads.read(record)).toEqual(record);
    await store.close();
  });

  test('that another process locks before it is a store is waited for', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, sqliteFileName);
    await writeFile(file, '');
    await using child = startChild('hold-lock', [file, '300']);
    expect(await child.readLine()).toBe('HELD');
    const store = await open(folder.path);
    expect(await child.readLine()).toBe('RELEASED');
    await store.close();
  });

  test('is created once when eight processes open a fresh folder at once', async () => {
    await using folder = await createTemporaryFolder();
    const state = join(folder.path, 'state');
    await using children = new AsyncDisposableStack();
    const all = Array.from({ length: 8 }, (_, index) =>
      children.use(startChild('open-and-claim', [state, `ses-${index}`])),
    );
    const lines = await Promise.all(all.map((child) => child.readLine()));
    expect(lines.map((line) => JSON.parse(line ?? '{}').claim?.type)).toEqual(all.map(() => 'won'));
  });
});

describe('a store opened to read', () => {
  const look = (folder: string) => openSqliteStore({ folder, clock: Date, access: 'read' });

  test('shows what another opener writes, and refuses to write itself', async () => {
    await using folder = await createTemporaryFolder();
    const [writer, reader] = [await open(folder.path), await look(folder.path)];
    const record = await claimed(writer, threadRecord());
    expect(await reader.threads.read(record)).toEqual(record);
    expect(await reader.threads.claim(threadRecord({ attempt: 'reader' }), farDeadline())).toMatchObject({
      type: 'unconfirmed',
      cause: { code: 'STORE_READ_ONLY' },
    });
    await expect(reader.threads.settle(record)).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
    await Promise.all([writer.close(), reader.close()]);
  });

  test('reads while another process holds the write lock', async () => {
    await using folder = await createTemporaryFolder();
    const writer = await open(folder.path);
    const record = await claimed(writer, threadRecord());
    await using child = startChild('hold-lock', [writer.location]);
    expect(await child.readLine()).toBe('HELD');
    const reader = await look(folder.path);
    expect(await reader.threads.read(record)).toEqual(record);
    child.say('release');
    await Promise.all([writer.close(), reader.close()]);
  });

  test('PU2: creates nothing where there is none', async () => {
    await using folder = await createTemporaryFolder();
    await expect(look(join(folder.path, 'state'))).rejects.toMatchObject({ code: 'STORE_MISSING' });
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('of an earlier version is refused, since only a writer may migrate it', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, sqliteFileName);
    await (await open(folder.path)).close();
    change(file, `delete from migration where name = '0003-verdicts'; drop table verdict`);
    await expect(look(folder.path)).rejects.toMatchObject({ code: 'STORE_OLDER' });
    await writeFile(file, '');
    await expect(look(folder.path)).rejects.toMatchObject({ code: 'STORE_OLDER' });
  });
});

function change(file: string, statement: string): void {
  using database = new DatabaseSync(file);
  database.exec(statement);
}

function make(file: string, migrations: readonly Migration[]): void {
  using database = new DatabaseSync(file);
  migrate(database, migrations);
}

function tablesOf(file: string): readonly unknown[] {
  using database = new DatabaseSync(file);
  return database.prepare('select name, sql from sqlite_schema order by name').all();
}
