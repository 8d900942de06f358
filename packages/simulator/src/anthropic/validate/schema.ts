import { refuse } from '../../api-error.ts';
import { isObject } from '../../json.ts';
import type { JsonObject } from '../../json.ts';

/** `value` as an object, else a 400. */
export function requireObject(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw refuse(`${path}: Input should be an object`);
}

export function requireList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw refuse(`${path}: Input should be a valid list`);
}

/** The text of a required string member. */
export function requireText(object: JsonObject, key: string, path: string): string {
  const value = object[key];
  if (typeof value === 'string') return value;
  throw refuse(
    value === undefined ? `${path}.${key}: Field required` : `${path}.${key}: Input should be a valid string`,
  );
}

/** Refuses a member that is none of `allowed` (§1.16.2 row 12). */
export function refuseExtra(object: JsonObject, path: string, allowed: readonly string[]): void {
  const extra = Object.keys(object).find((key) => !allowed.includes(key));
  if (extra !== undefined) {
    throw refuse(`${path === '' ? '' : `${path}.`}${extra}: Extra inputs are not permitted`);
  }
}

/** Refuses a value that is none of `allowed`; an absent one passes. */
export function refuseOther(value: unknown, path: string, allowed: readonly string[]): void {
  if (value === undefined || value === null || allowed.some((item) => item === value)) return;
  const names = allowed.map((item) => `'${item}'`);
  const last = names.pop() ?? '';
  throw refuse(`${path}: Input should be ${names.length === 0 ? last : `${names.join(', ')} or ${last}`}`);
}
