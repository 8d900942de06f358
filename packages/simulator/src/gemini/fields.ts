import { ApiError } from '../api-error.ts';
import { isObject } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** A 400 in the words of the API. */
export function refuseGemini(message: string): ApiError {
  return new ApiError('invalid_request_error', message);
}

/**
 * Reads an object of the API, whose fields may be spelled in camelCase or snake_case, with the fields in camelCase;
 * refuses a field that the API does not have. `path` is in snake_case, as the API names places.
 */
export function readFields(value: unknown, path: string, allowed: readonly string[]): JsonObject {
  if (!isObject(value)) {
    throw refuseGemini(`Invalid value at '${path}', expected an object.`);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const field = toCamelCase(key);
      if (!allowed.includes(field)) throw unknownField(key, path);
      return [field, member];
    }),
  );
}

/** The items of a repeated field, each with its path. */
export function readRepeated(
  value: unknown,
  path: string,
): readonly { readonly item: unknown; readonly at: string }[] {
  if (value === undefined || value === null) return [];
  // A single message stands for a list of one.
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item, index) => ({ item, at: `${path}[${index}]` }));
}

function unknownField(key: string, path: string): ApiError {
  const place = path === '' ? '' : ` at '${path}'`;
  const message = `Invalid JSON payload received. Unknown name "${key}"${place}: Cannot find field.`;
  return new ApiError('invalid_request_error', message, { param: path });
}

function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
