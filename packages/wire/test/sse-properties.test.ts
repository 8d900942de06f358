import { inject, test } from 'vitest';
import { checkAnyBytesDecodeAlike, checkCuttingChangesNothing } from './sse-properties.ts';

const runs = { numRuns: 2_000, seed: inject('seed') };

test('cases 51, 53: events come out as they went in, wherever the stream is cut', () =>
  checkCuttingChangesNothing(runs));

test('any bytes decode as the standard’s algorithm decodes the whole', () => checkAnyBytesDecodeAlike(runs));
