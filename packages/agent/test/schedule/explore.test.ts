import { expect, test } from 'vitest';
import { atEachTick, explore } from './explore.ts';

test('every order of the gates is run once', async () => {
  const traces = await explore(async (stage) => {
    const actor = async (name: string): Promise<void> => {
      await stage.gate(`${name}1`);
      await stage.gate(`${name}2`);
    };
    await Promise.all([actor('a'), actor('b')]);
  });
  expect(traces.map((trace) => trace.join(' ')).toSorted()).toEqual([
    'a1 a2 b1 b2',
    'a1 b1 a2 b2',
    'a1 b1 b2 a2',
    'b1 a1 a2 b2',
    'b1 a1 b2 a2',
    'b1 b2 a1 a2',
  ]);
});

test('three actors with three gates each have 1680 orders', async () => {
  const traces = await explore(async (stage) => {
    const actor = async (name: string): Promise<void> => {
      for (let gate = 1; gate <= 3; gate += 1) await stage.gate(`${name}${gate}`);
    };
    await Promise.all(['a', 'b', 'c'].map(actor));
  });
  expect(new Set(traces.map((trace) => trace.join(' '))).size).toBe(1680); // 9! / 3!³
});

test('a lock-up and a failure name the order that led there', async () => {
  const lockedUp = explore(async (stage) => {
    let isFirst = true;
    const second = async (): Promise<void> => {
      await stage.gate('second');
      if (isFirst) await new Promise(() => undefined);
    };
    const first = stage.gate('first').then(() => (isFirst = false));
    await Promise.all([first, second()]);
  });
  await expect(lockedUp).rejects.toThrow('Locked up after second → first');
  const failed = explore(async (stage) => {
    await stage.gate('only');
    throw new Error('wrong');
  });
  await expect(failed).rejects.toThrow('After only: Error: wrong');
});

test('a scenario with too many orders is refused', async () => {
  const scenario = explore(
    async (stage) => {
      await Promise.all(['a', 'b', 'c', 'd'].map((name) => stage.gate(name)));
    },
    { limit: 23 },
  );
  await expect(scenario).rejects.toThrow('More than 23 schedules');
});

test('something can come in each microtask of something else', async () => {
  const seen = await atEachTick(5, async (strike) => {
    let hasStruck = false;
    void strike().then(() => (hasStruck = true));
    for (let tick = 0; tick < 4; tick += 1) {
      if (hasStruck) return tick;
      await Promise.resolve();
    }
    return hasStruck ? 'at last' : 'never';
  });
  expect(new Set(seen).size).toBeGreaterThan(3);
  expect(seen.at(-1)).toBe('never');
});
