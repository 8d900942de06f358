import { expect, test } from 'vitest';
import { listDependencies, listFiles, readManifests, readText } from './tree.ts';

const decisions = listFiles().filter((file) => file.startsWith('docs/decisions/'));

test('every direct dependency has its reason in docs/decisions/0005', () => {
  const reasons = readText('docs/decisions/0005-dependencies.md');
  const manifests = readManifests();
  const own = new Set(manifests.map(({ name }) => name));
  const unexplained = manifests.flatMap((manifest) =>
    [...listDependencies(manifest).keys()]
      .filter((name) => !own.has(name) && !reasons.includes(`\`${name}\``))
      .map((name) => `${manifest.file}: ${name}`),
  );
  expect(unexplained).toEqual([]);
});

test('decisions are numbered without gaps, short, and say what was decided and why', () => {
  expect(decisions.length).toBeGreaterThan(0);
  for (const [index, file] of decisions.entries()) {
    const text = readText(file);
    expect(file).toMatch(new RegExp(`/${String(index + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
    expect(text, file).toMatch(/^# \d+\. /);
    expect(text, file).toContain('## Decision');
    expect(text, file).toContain('## Why');
    expect(text.split('\n').length, file).toBeLessThanOrEqual(30 + 1);
  }
});
