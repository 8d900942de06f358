import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toJsonSchema } from '../src/config/schema.ts';
import { listSettings } from '../src/config/settings.ts';

test('qm.schema.json is the schema that is in force; write it anew with qm config --schema', () => {
  const committed: unknown = JSON.parse(readFileSync(new URL('../qm.schema.json', import.meta.url), 'utf8'));
  expect(committed).toEqual(toJsonSchema());
});

test('the schema refuses unknown keys in every section, requires nothing, and explains every setting', () => {
  const text = JSON.stringify(toJsonSchema());
  const sections = listSettings().sections.size + 1;
  expect(text.split('"additionalProperties":false')).toHaveLength(sections + 1);
  expect(text).not.toContain('"required"');
  expect(text.split('"description"').length - 1).toBe(
    listSettings().all.length + listSettings().sections.size,
  );
});

test('every setting has a variable of its own', () => {
  const variables = listSettings().all.map(({ variable }) => variable);
  expect(new Set(variables).size).toBe(variables.length);
  expect(variables).toContain('QM_UPSTREAMS_ANTHROPIC');
  expect(variables).toContain('QM_LIMITS_BODY_BYTES');
});
