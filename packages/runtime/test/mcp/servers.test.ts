import { expect, test } from 'vitest';
import { createBench, program } from './bench.ts';

test('RT2: a program that speaks both eras is spoken to in the newer one', async () => {
  await using bench = createBench(program('new-era.ts'));
  await bench.toolset.start();
  expect(bench.toolset.status()).toMatchObject({ state: 'ready', protocolVersion: '2026-07-28' });
  expect(await bench.call('echo', { text: 'hello' })).toEqual({ type: 'completed', output: 'hello' });
});
