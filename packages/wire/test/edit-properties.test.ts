import { inject, test } from 'vitest';
import { checkEditsAreLocal, checkRewritesMeanWhatTheySay } from './edit-properties.ts';

const runs = { numRuns: 2_000, seed: inject('seed') };

test('law 2, RW7: edits touch their spans alone and can be undone byte for byte', () =>
  checkEditsAreLocal(runs));

test('cases 41, 43: a rewrite of tools means what it says and leaves every other byte', () =>
  checkRewritesMeanWhatTheySay(runs));
