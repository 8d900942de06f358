import { readFileSync } from 'node:fs';
import path from 'node:path';
import { catalog, parseCatalogOverrides } from '@quartermaster/catalog';
import { expect, test } from 'vitest';

test('the overrides that docs/catalog.md shows are taken', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../../docs/catalog.md'), 'utf8');
  const shown = /```json\n([^`]+)```/.exec(page)?.[1] ?? '';
  const changed = parseCatalogOverrides(JSON.parse(shown), catalog);
  expect(changed.find('claude-opus-5-5')).toMatchObject({
    prices: { input: 3.6, output: 18, cacheRead: 0.2 },
    factors: { us: 1 },
  });
  expect(changed.find('gpt-6.2-astra')?.capabilities.efforts).toEqual(['medium', 'high']);
});
