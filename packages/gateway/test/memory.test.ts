import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('FA5: what the gateway remembers of a conversation does not keep its bodies in memory', async () => {
  const program = path.join(import.meta.dirname, 'fixtures/body-memory.ts');
  const flags = ['--expose-gc', '--conditions=quartermaster-source', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  const { bytesSent, growth } = JSON.parse(stdout) as { bytesSent: number; growth: number };
  expect(bytesSent).toBeGreaterThan(100e6);
  expect(growth).toBeLessThan(bytesSent / 10);
});
