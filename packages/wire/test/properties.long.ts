import { inject, test } from 'vitest';
import { checkEditsAreLocal, checkRewritesMeanWhatTheySay } from './edit-properties.ts';
import { checkDamagedIsRefused, checkOutlineIsExact, checkScannerAgrees } from './outline-properties.ts';
import { checkAnyBytesDecodeAlike, checkCuttingChangesNothing } from './sse-properties.ts';

const properties = [
  checkOutlineIsExact,
  checkDamagedIsRefused,
  checkScannerAgrees,
  checkEditsAreLocal,
  checkRewritesMeanWhatTheySay,
  checkCuttingChangesNothing,
  checkAnyBytesDecodeAlike,
];

test.each(properties.map((check) => [check.name, check] as const))('20,000 runs of %s', (_name, check) => {
  check({ numRuns: 20_000, seed: inject('seed') });
});
