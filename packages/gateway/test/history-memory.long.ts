import { expect, test } from 'vitest';
import { measureHistory } from './support/history-memory.ts';

test('HI2: 10,000 tenants with 64 sessions of 48 tools in 4 projects each stay under 200 MB', async () => {
  expect(await measureHistory(10_000)).toBeLessThan(200e6);
});
