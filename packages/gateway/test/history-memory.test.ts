import { expect, test } from 'vitest';
import { measureHistory } from './support/history-memory.ts';

test('HI2: 1,000 tenants with 64 sessions of 48 tools in 4 projects each stay under 20 MB', async () => {
  const bytes = await measureHistory(1_000);
  expect(bytes).toBeGreaterThan(1e6);
  expect(bytes).toBeLessThan(20e6);
});
