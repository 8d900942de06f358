import { inject, test } from 'vitest';
import { checkControllers, checkManagers } from './any-schedule.ts';

test('L1–L5, L8: whatever is done with a manager at once and whatever fails, no rule is broken', async () => {
  await checkManagers(400, inject('seed'));
});

test('L7: whatever is done with a controller at once and whatever fails, no rule is broken', async () => {
  await checkControllers(400, inject('seed'));
});
