import { inject, test } from 'vitest';
import { fuzzAgainstBash, fuzzCommands, fuzzPaths, fuzzUrls } from './permission-fuzz.ts';

const options = { seed: inject('seed'), numRuns: 200_000 };

test('P1: no path of very many is allowed that a slow and obvious reading denies', () => {
  fuzzPaths(options);
});

test('P1: no URL of very many is allowed that another reading sees elsewhere', () => {
  fuzzUrls(options);
});

test('P5: no command line of very many is allowed with a command in it that is not', () => {
  fuzzCommands(options);
});

test('P5: for each of very many lines that are allowed, bash itself runs nothing else', async () => {
  await fuzzAgainstBash(options);
});
