import { inject, test } from 'vitest';
import { checkControllers, checkManagers } from './any-schedule.ts';

test('L1–L5, L8: fifty thousand mixes of what can be done with a manager break no rule', async () => {
  await checkManagers(50_000, inject('seed'));
});

test('L7: fifty thousand mixes of what can be done with a controller break no rule', async () => {
  await checkControllers(50_000, inject('seed'));
});
