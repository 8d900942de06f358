import { inject, test } from 'vitest';
import { checkAgainstBash } from './fuzz/bash.ts';
import { checkCommands } from './fuzz/commands.ts';
import { checkPaths } from './fuzz/paths.ts';
import { checkUrls } from './fuzz/urls.ts';

const options = { seed: inject('seed'), numRuns: 200_000 };

test('P1: no path of very many is allowed that a slow and obvious reading denies', () => {
  checkPaths(options);
});

test('P1: no URL of very many is allowed that another reading sees elsewhere', () => {
  checkUrls(options);
});

test('P5: no command line of very many is allowed with a command in it that is not', () => {
  checkCommands(options);
});

test('P5: for each of very many lines that are allowed, bash itself runs nothing else', async () => {
  await checkAgainstBash(options);
});
