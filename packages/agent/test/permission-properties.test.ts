import { inject, test } from 'vitest';
import { checkAgainstBash, checkHostileLines } from './fuzz/bash.ts';
import { checkCommands } from './fuzz/commands.ts';
import { checkPaths } from './fuzz/paths.ts';
import { checkUrls } from './fuzz/urls.ts';

const options = { seed: inject('seed'), numRuns: 20_000 };

test('P1: no path is allowed that a slow and obvious reading denies', { timeout: 60_000 }, () => {
  checkPaths(options);
});

test('P1: no URL is allowed that another reading sees elsewhere', { timeout: 60_000 }, () => {
  checkUrls(options);
});

test('P5: no command line is allowed with a command in it that is not', { timeout: 60_000 }, () => {
  checkCommands(options);
});

test('P5: for a line that is allowed, bash itself runs nothing else', { timeout: 120_000 }, async () => {
  await checkAgainstBash({ ...options, numRuns: 6_000 });
});

test(
  'P5: no line that was written to be misread is allowed where bash runs what is denied',
  { timeout: 60_000 },
  async () => {
    await checkHostileLines();
  },
);
