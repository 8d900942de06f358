import { expect, test } from 'vitest';
import { listFiles, readText } from './tree.ts';

/** `GATEWAY_BODY_TOO_LARGE` and the like: the package's name, then what happened. */
const code = /\b(?:AGENT|CATALOG|CLI|GATEWAY|PROVIDER|RUNTIME|STORE|WIRE)_[A-Z][A-Z0-9_]+\b/g;

function codesIn(file: string): readonly string[] {
  return readText(file).match(code) ?? [];
}

test('docs/errors.md lists every error code of the packages, once, and no other', () => {
  const sources = listFiles().filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file));
  const inSources = [...new Set(sources.flatMap(codesIn))];
  expect(codesIn('docs/errors.md').toSorted()).toEqual(inSources.toSorted());
});
