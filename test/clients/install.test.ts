import { mkdir, mkdtempDisposable, readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { clientCache, installClient } from './install.ts';
import { runProgram } from './run-program.ts';
import type { ProgramOptions } from './run-program.ts';

test('two test runs at once share one install, and its programs run', async () => {
  await using folder = await temporaryFolder();
  const cache = join(folder.path, 'cache');
  const packages = [await writePackage(folder.path)];

  const installs = await Promise.all([
    installClient({ name: 'hello', packages, cache }),
    installClient({ name: 'hello', packages, cache }),
  ]);

  const programs = installs.map((install) =>
    'unavailable' in install ? install.unavailable : install.bin('hello'),
  );
  expect(new Set(programs).size).toBe(1);
  const outcome = await runProgram(programs[0] ?? '', [], atOnce(folder.path));
  expect(outcome).toMatchObject({ exitCode: 0, stdout: 'hello\n' });
  expect(await readdir(cache)).toHaveLength(1);
});

test('an install is reused without npm', async () => {
  await using folder = await temporaryFolder();
  const packages = [await writePackage(folder.path)];
  const options = { name: 'hello', packages, cache: join(folder.path, 'cache') };

  const first = await installClient(options);
  await writeFile(join(folder.path, 'hello', 'package.json'), 'no longer a package');

  expect(await installClient(options)).toMatchObject({ folder: 'folder' in first ? first.folder : '' });
});

test('a package that cannot be had is an answer with a reason, and leaves nothing behind', async () => {
  await using folder = await temporaryFolder();
  const cache = join(folder.path, 'cache');

  const install = await installClient({
    name: 'nothing',
    packages: [join(folder.path, 'nowhere')],
    cache,
  });

  expect(install).toMatchObject({ unavailable: expect.stringContaining('ENOENT') });
  expect(await readdir(cache)).toEqual([]);
});

test('what a killed run left half-filled goes away, what another run is filling stays', async () => {
  await using folder = await temporaryFolder();
  const packages = [await writePackage(folder.path)];
  const elsewhere = await installClient({ name: 'hello', packages, cache: join(folder.path, 'elsewhere') });
  const key = 'folder' in elsewhere ? basename(elsewhere.folder) : elsewhere.unavailable;
  const cache = join(folder.path, 'cache');
  await mkdir(join(cache, `.${key}-killed`), { recursive: true });
  await utimes(join(cache, `.${key}-killed`), 0, 0);
  await mkdir(join(cache, `.${key}-running`));

  await installClient({ name: 'hello', packages, cache });

  expect(new Set(await readdir(cache))).toEqual(new Set([key, `.${key}-running`]));
});

test('the cache is where the user says, else in the cache folder of the user', () => {
  expect(clientCache({ QM_CLIENT_CACHE: '/a' })).toBe('/a');
  expect(clientCache({ XDG_CACHE_HOME: '/b' })).toBe('/b/quartermaster/clients');
  expect(clientCache({})).toMatch(/\.cache\/quartermaster\/clients$/);
});

test('a program that outlives its deadline is killed with all that it started', async () => {
  await using folder = await temporaryFolder();

  const outcome = await runProgram('/bin/sh', ['-c', 'sleep 60 & echo started; wait'], {
    ...atOnce(folder.path),
    deadlineMs: 300,
  });

  // The pipe closes only when the sleeping grandchild is gone too.
  expect(outcome).toMatchObject({ exitCode: undefined, outOfTime: true, stdout: 'started\n' });
});

function temporaryFolder(): ReturnType<typeof mkdtempDisposable> {
  return mkdtempDisposable(join(tmpdir(), 'qm-clients-'));
}

/** A package in a folder, whose program says hello: npm installs it without a registry. */
async function writePackage(folder: string): Promise<string> {
  const path = join(folder, 'hello');
  await mkdir(path);
  await writeFile(
    join(path, 'package.json'),
    JSON.stringify({ name: 'hello', version: '1.0.0', bin: { hello: 'hello.sh' } }),
  );
  await writeFile(join(path, 'hello.sh'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
  return path;
}

function atOnce(folder: string): ProgramOptions {
  return { folder, env: {}, deadlineMs: 10_000 };
}
