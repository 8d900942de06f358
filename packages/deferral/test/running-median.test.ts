import { createRunningMedian } from '@quartermaster/deferral';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';

test('LE2: before the first sample there is no median', () => {
  expect(createRunningMedian(5).median()).toBeUndefined();
});

test('LE2: the median is that of the newest samples', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.5, max: 4, noNaN: true }), { minLength: 1, maxLength: 30 }),
      (samples) => {
        const running = createRunningMedian(7);
        for (const sample of samples) running.add(sample);
        const newest = samples.slice(-7).toSorted((left, right) => left - right);
        const below = newest.filter((sample) => sample < (running.median() ?? 0)).length;
        const above = newest.filter((sample) => sample > (running.median() ?? 0)).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(newest.length / 2);
      },
    ),
    { seed: inject('seed') },
  );
});
