import { inject, test } from 'vitest';
import { checkLaws } from './laws/check.ts';
import { openGround } from './laws/ground.ts';

test(
  'laws 1 to 7: hold for random clients, histories and events, unless a counted exception says otherwise',
  { timeout: 600_000 },
  async () => {
    await using ground = await openGround();
    await checkLaws(ground, { runs: 2_000, seed: inject('seed') });
  },
);
