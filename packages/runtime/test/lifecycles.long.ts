import fc from 'fast-check';
import { inject, test } from 'vitest';
import { anyStory, createPlayer } from './lifecycles.ts';

test('5,000 stories of sessions and their tools: no request is refused and no prefix moves but where it is told', async () => {
  await using player = await createPlayer();
  await fc.assert(
    fc.asyncProperty(anyStory, (story) => player.play(story)),
    { seed: inject('seed'), numRuns: 5_000 },
  );
});
