import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findFaults } from '../tools/requirements/faults.ts';
import { requirementPages } from '../tools/requirements/pages.ts';
import { formatReport } from '../tools/requirements/report.ts';
import { requirementIdsOf, rowId } from '../tools/requirements/spec-page.ts';
import { testNamesIn } from '../tools/requirements/test-names.ts';
import type { Requirement } from './requirements/requirement.ts';

const root = new URL('../', import.meta.url);
const specFolder = process.env['QM_SPEC'] ?? fileURLToPath(new URL('../shared/spec', root));
const hasSpec = existsSync(specFolder);
if (!hasSpec) {
  process.stdout.write(
    `requirements: no pages in ${specFolder} (QM_SPEC), so the ids are compared with nothing\n`,
  );
}

function readSource(path: string): string | undefined {
  const url = new URL(path, root);
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined;
}

describe('the lists', () => {
  test('each requirement is listed once, and is shown by tests that exist or open for a reason', () => {
    expect(
      findFaults(
        requirementPages.flatMap((page) => page.requirements),
        readSource,
      ),
    ).toEqual([]);
  });

  test.skipIf(!hasSpec).each(requirementPages)(
    'the ids of $page are those of the specification, in its order',
    ({ page, requirements }) => {
      const markdown = readFileSync(`${specFolder}/${page}.md`, 'utf8');
      expect(requirements.map(({ id }) => id)).toEqual(requirementIdsOf(page, markdown));
    },
  );
});

describe('a fault in a list is found', () => {
  const sources: Record<string, string> = {
    'a.test.ts': "test('RU1: one', () => {}); test.each([1])('RU2: %i', () => {});",
    'a.ts': "test('RU1: one', () => {});",
    'bench/a.ts': 'row first-byte',
  };
  const faultsOf = (...requirements: readonly Requirement[]) =>
    findFaults(requirements, (path) => sources[path]);

  test('a sound list has none', () => {
    const faults = faultsOf(
      { id: 'RU1', shownBy: [{ file: 'a.test.ts', test: 'RU1: o' }] },
      { id: 'RU2', shownBy: [{ file: 'a.test.ts', test: 'RU2: %i' }] },
      { id: 'RU8', shownBy: [{ bench: 'bench/a.ts', row: 'first-byte' }] },
      { id: 'RU3', open: 'GW-2' },
    );
    expect(faults).toEqual([]);
  });

  test.each<[string, Requirement[], string]>([
    [
      'an id twice',
      [
        { id: 'X', open: 'a' },
        { id: 'X', open: 'b' },
      ],
      'X is listed twice',
    ],
    ['no reason', [{ id: 'X', open: ' ' }], 'X is open without a reason'],
    ['no proof', [{ id: 'X', shownBy: [] }], 'X is shown by nothing; say why it is open'],
    [
      'both',
      [{ id: 'X', open: 'a', shownBy: [{ file: 'a.test.ts', test: 'RU1' }] }],
      'X is both shown and open',
    ],
    [
      'a test that is not there',
      [{ id: 'X', shownBy: [{ file: 'a.test.ts', test: 'one' }] }],
      'X is shown by "one", which names no test in a.test.ts',
    ],
    [
      'an empty name',
      [{ id: 'X', shownBy: [{ file: 'a.test.ts', test: '' }] }],
      'X is shown by "", which names no test in a.test.ts',
    ],
    [
      'a file that is not there',
      [{ id: 'X', shownBy: [{ file: 'b.test.ts', test: 'RU1' }] }],
      'X is shown by b.test.ts, which does not exist',
    ],
    [
      'a file that holds no tests',
      [{ id: 'X', shownBy: [{ file: 'a.ts', test: 'RU1' }] }],
      'X is shown by a.ts, which no run of the tests takes up',
    ],
    [
      'a bench that is not there',
      [{ id: 'X', shownBy: [{ bench: 'bench/b.ts', row: 'r' }] }],
      'X is shown by bench/b.ts, which does not exist',
    ],
    [
      'a row that is not there',
      [{ id: 'X', shownBy: [{ bench: 'bench/a.ts', row: 'last-byte' }] }],
      'X is shown by the row "last-byte", which bench/a.ts does not have',
    ],
  ])('%s', (_, requirements, fault) => {
    expect(faultsOf(...requirements)).toEqual([fault]);
  });
});

test('the ids of a page are its rule numbers, in tables or bold, and the rows of its named tables', () => {
  const markdown = [
    '| term | meaning |',
    '|---|---|',
    '| tenant | RU7 |',
    '',
    '| # | rule |',
    '|---|:-:|',
    '| RU1 | not **RU9** |',
    '| RU10 | text |',
    '',
    '**RP1** one. **RP2** two, **durable**, RP3.',
    '| route | what |',
    '| --- | --- |',
    '| `/a/*`, `/b/*` | x |',
    '| **`qm run a\\|b`** | y |',
    'text',
    '| RU11 | is the head of a table |',
  ].join('\n');
  expect(requirementIdsOf('gateway-deferral', markdown)).toEqual([
    'RU1',
    'RU10',
    'RP1',
    'RP2',
    'gateway-deferral:/a/*, /b/*',
    'gateway-deferral:qm run a|b',
  ]);
});

test('a row’s id is its page and its first cell without marks', () => {
  expect(rowId('operate', ' `qm stats`, **`qm sessions`** ')).toBe('operate:qm stats, qm sessions');
});

test('the names of a file’s tests are those that run, as they are written', () => {
  const source = `
    test('plain', () => {});
    it("it's", () => {});
    describe('not one', () => { test(\`inside\`, () => {}); });
    test.each([['x']])('each %s', () => {});
    test.each\`a\`('tagged', () => {});
    test.skipIf(true).each([1])('skipIf %i', () => {});
    test.concurrent('concurrent', () => {});
    test(\`until \${here} only\`, () => {});
    test.skip('skipped', () => {});
    describe.skip('group', () => { test('in a skipped group', () => {}); });
    describe.skip.each([1])('group', () => { test('in skipped groups', () => {}); });
    test.skip.each([1])('skipped each', () => {});
    test.todo('some day');
    test.fails('fails', () => {});
    // test('in a comment', () => {});
    const text = "test('in a string', () => {})";
    pattern.test('not a test');
  `;
  expect(testNamesIn(source)).toEqual([
    'plain',
    "it's",
    'inside',
    'each %s',
    'tagged',
    'skipIf %i',
    'concurrent',
    'until ',
  ]);
});

test('the report groups what is open by page and closes with the counts', () => {
  const report = formatReport([
    {
      page: 'one',
      requirements: [
        { id: 'A1', open: 'GW-2: later' },
        { id: 'A2', shownBy: [] },
      ],
    },
    { page: 'two', requirements: [{ id: 'B1', shownBy: [] }] },
    { page: 'three', requirements: [{ id: 'C1', open: 'not filed yet' }] },
  ]);
  expect(report).toBe(
    'one\n  A1 — GW-2: later\n\nthree\n  C1 — not filed yet\n\nrules: 4, shown: 2, open: 2\n',
  );
});
