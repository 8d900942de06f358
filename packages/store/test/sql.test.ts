import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { sql, sqlText } from '../src/sql.ts';

const numbered = (position: number): string => `$${position}`;

test('a value never becomes part of the text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double(), fc.constant(null)), (value) => {
      const statement = sql`select ${value} as value`;
      expect(sqlText(statement, numbered)).toBe('select $1 as value');
      expect(statement.values).toEqual([value]);
    }),
    { seed: inject('seed') },
  );
});

test('a nested statement keeps its values in their places', () => {
  const clause = sql`a = ${1} and b = ${'two'}`;
  const statement = sql`select ${0} where ${clause} or ${sql`now()`} < ${3}`;
  expect(sqlText(statement, numbered)).toBe('select $1 where a = $2 and b = $3 or now() < $4');
  expect(statement.values).toEqual([0, 1, 'two', 3]);
});
