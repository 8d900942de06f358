import { ApiError } from '../api-error.ts';
import { isObject } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** A 400 that names the wrong member: `code` and `param` of §2.6. */
export function refuseMember(message: string, code: string | undefined, param: string): ApiError {
  return new ApiError('invalid_request_error', message, { detail: code, param });
}

/** `value` as an object, else a 400. */
export function requireObject(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw value === undefined ? missing(path) : wrongType(path, 'an object', value);
}

export function requireList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw value === undefined ? missing(path) : wrongType(path, 'an array of objects', value);
}

/** A required string; `''` where `mayBeEmpty`. */
export function requireText(
  object: JsonObject,
  key: string,
  { path, mayBeEmpty = true }: { readonly path: string; readonly mayBeEmpty?: boolean },
): string {
  const value = object[key];
  const at = join(path, key);
  if (value === undefined) throw missing(at);
  if (typeof value !== 'string') throw wrongType(at, 'a string', value);
  if (value !== '' || mayBeEmpty) return value;
  throw refuseMember(
    `Invalid '${at}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
    'empty_string',
    at,
  );
}

/** Refuses a string that is too long; an absent one passes. */
export function refuseLonger(text: string, maxLength: number, path: string): void {
  if (text.length <= maxLength) return;
  throw refuseMember(
    `Invalid '${path}': string too long. Expected a string with maximum length ${maxLength}, but got a string ` +
      `with length ${text.length} instead.`,
    'string_above_max_length',
    path,
  );
}

/** Refuses a member that is none of `allowed`. */
export function refuseUnknown(object: JsonObject, path: string, allowed: readonly string[]): void {
  const key = Object.keys(object).find((name) => !allowed.includes(name));
  if (key === undefined) return;
  const at = join(path, key);
  throw refuseMember(`Unknown parameter: '${at}'.`, 'unknown_parameter', at);
}

/** Refuses a value that is none of `allowed`; an absent one passes. */
export function refuseOther(value: unknown, path: string, allowed: readonly string[]): void {
  if (value === undefined || value === null || allowed.some((item) => item === value)) return;
  const came = typeof value === 'string' ? value : JSON.stringify(value);
  throw refuseMember(
    `Invalid value: '${came}'. Supported values are: ${listOf(allowed)}.`,
    'invalid_value',
    path,
  );
}

/** Refuses a member of another type than `type`; an absent one and `null` pass. */
export function refuseType(object: JsonObject, path: string, types: Readonly<Record<string, Kind>>): void {
  for (const [key, kind] of Object.entries(types)) {
    const value = object[key];
    if (value !== undefined && value !== null && !kinds[kind].is(value)) {
      throw wrongType(join(path, key), kinds[kind].named, value);
    }
  }
}

type Kind = keyof typeof kinds;

const kinds = {
  boolean: { named: 'a boolean', is: (value: unknown) => typeof value === 'boolean' },
  integer: { named: 'an integer', is: (value: unknown) => Number.isInteger(value) },
  number: { named: 'a decimal', is: (value: unknown) => typeof value === 'number' },
  object: { named: 'an object', is: isObject },
  string: { named: 'a string', is: (value: unknown) => typeof value === 'string' },
} as const;

export function missing(path: string): ApiError {
  return refuseMember(`Missing required parameter: '${path}'.`, 'missing_required_parameter', path);
}

export function wrongType(path: string, expected: string, value: unknown): ApiError {
  return refuseMember(
    `Invalid type for '${path}': expected ${expected}, but got ${nameType(value)} instead.`,
    'invalid_type',
    path,
  );
}

/** A member's path: `tools[0].name`. */
function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** `'a', 'b', and 'c'`. */
export function listOf(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length < 3) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1) ?? ''}`;
}
