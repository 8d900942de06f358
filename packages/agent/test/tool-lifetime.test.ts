import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { collectIdentities, shortLived } from './collect-identities.ts';

const fixture = path.join(import.meta.dirname, 'fixtures/collect-identities.ts');

test('T5: a dropped registry, its closures, and what one run bound to a lasting one are collected', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  expect(await collectIdentities(gc)).toEqual({ collected: shortLived, isLastingBound: true });
});

test('T5: the same in a process of its own', async () => {
  const flags = ['--expose-gc', '--conditions=quartermaster-source', fixture];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  expect(JSON.parse(stdout)).toEqual({ collected: shortLived, isLastingBound: true });
});
