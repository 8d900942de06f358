import fc from 'fast-check';
import { inject, test } from 'vitest';
import { anyStory, createPlayer } from './lifecycles.ts';

test(
  'whatever happens to a session and its tools, no request is refused and no prefix moves but where it is told',
  { timeout: 300_000 },
  async () => {
    await using player = await createPlayer();
    await fc.assert(
      fc.asyncProperty(anyStory, (story) => player.play(story)),
      { seed: inject('seed'), numRuns: 1_000 },
    );
  },
);
