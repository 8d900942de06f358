import { inject, test } from 'vitest';
import { checkDamagedIsRefused, checkOutlineIsExact, checkScannerAgrees } from './outline-properties.ts';

const runs = { numRuns: 2_000, seed: inject('seed') };

test('an outline tells what a parser reads, and its spans are exact', () => checkOutlineIsExact(runs));

test('a damaged body is refused where a parser refuses it, and never called no JSON where it does not', () =>
  checkDamagedIsRefused(runs));

test('a text of JSON characters gets the verdict that a parser gives it', () => checkScannerAgrees(runs));
