import type { JsonValue } from '@quartermaster/agent/messages';

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value);
}

/** The member of an object; `undefined` of anything else. */
export function memberOf(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What an SDK read out of JSON, as JSON again: without members that are `undefined`, and without its types. */
export function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** The value that a JSON text stands for; `undefined` where it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
