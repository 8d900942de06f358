import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { afterAll, inject, test } from 'vitest';
import { checkAgainstBash } from './fuzz/bash.ts';
import { checkCommands } from './fuzz/commands.ts';
import type { FuzzTally } from './fuzz/options.ts';
import { checkPaths } from './fuzz/paths.ts';
import { checkUrls } from './fuzz/urls.ts';

const seed = inject('seed');
const options = { seed, numRuns: 200_000 };
const tallies: Partial<Record<'paths' | 'urls' | 'commands' | 'bash', FuzzTally>> = {};

test('P1: no path of very many is allowed that a slow and obvious reading denies', () => {
  tallies.paths = checkPaths(options);
});

test('P1: no URL of very many is allowed that another reading sees elsewhere', () => {
  tallies.urls = checkUrls(options);
});

test('P5: no command line of very many is allowed with a command in it that is not', () => {
  tallies.commands = checkCommands(options);
});

test('P5: for each of very many lines that are allowed, bash itself runs nothing else', async () => {
  tallies.bash = await checkAgainstBash(options);
});

// A run of some of them (-t), or one that failed, is no measurement.
afterAll(async () => {
  const { paths, urls, commands, bash } = tallies;
  if (!paths || !urls || !commands || !bash) return;
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const page = { commit, seed, paths, urls, commands, bash };
  const measured = new URL('../../../docs/measured/permissions.json', import.meta.url);
  await writeFile(measured, `${JSON.stringify(page, null, 2)}\n`);
});
