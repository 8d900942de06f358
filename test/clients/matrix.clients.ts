import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cell } from './matrix/cell.ts';
import { drivers } from './matrix/drivers/all.ts';
import { openPair } from './matrix/pair.ts';
import type { Pair } from './matrix/pair.ts';
import { saveRow } from './matrix/record.ts';
import { writeSection } from './matrix/section.ts';
import { stories } from './matrix/stories.ts';
import { installClient } from './install.ts';
import type { ClientUnavailable } from './install.ts';

const storyDeadlineMs = 600_000;

// Every client in every story, with the gateway and without; what comes of it is the matrix of docs/clients.md.
describe.each(drivers)('$title', (driver) => {
  const cells: Record<string, Cell> = {};
  let pair: Pair | ClientUnavailable | undefined;

  beforeAll(async () => {
    const { title: name, packages } = driver;
    pair = await openPair(driver, await installClient({ name, packages }));
  }, storyDeadlineMs);

  afterAll(async () => {
    if (pair !== undefined && !('unavailable' in pair)) await pair[Symbol.asyncDispose]();
    // A run of a few stories says nothing about the others.
    if (Object.keys(cells).length < stories.length) return;
    const inOrder = Object.fromEntries(stories.map(({ title }) => [title, cells[title] ?? unplayed]));
    const order = drivers.map(({ title }) => title);
    const record = await saveRow(driver.title, inOrder, order);
    await writeSection(
      record,
      stories.map(({ title }) => title),
    );
  });

  test.for(stories)(
    '$title is the same through the gateway',
    { timeout: storyDeadlineMs },
    async (story, context) => {
      if (pair === undefined) throw new Error('There is no pair: beforeAll did not end.');
      const cell: Cell =
        'unavailable' in pair
          ? { type: 'absent', why: pair.unavailable }
          : await pair.play(story).catch(failed);
      cells[story.title] = cell;
      if (cell.type === 'absent') context.skip(cell.why);
      expect(cell).not.toHaveProperty('differences');
    },
  );
});

const unplayed: Cell = { type: 'differs', differences: ['the story was not played'] };

function failed(cause: unknown): Cell {
  return { type: 'differs', differences: [cause instanceof Error ? cause.message : String(cause)] };
}
