import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { inject, test } from 'vitest';
import { anyStory, createPlayer } from './lifecycles.ts';

const stories = 5_000;

test('5,000 stories of sessions and their tools: no request is refused and no prefix moves but where it is told', async () => {
  const seed = inject('seed');
  await using player = await createPlayer();
  await fc.assert(
    fc.asyncProperty(anyStory, (story) => player.play(story)),
    { seed, numRuns: stories },
  );
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const measured = new URL('../../../docs/measured/lifecycles.json', import.meta.url);
  await writeFile(measured, `${JSON.stringify({ commit, seed, stories, ...player.tally }, null, 2)}\n`);
});
