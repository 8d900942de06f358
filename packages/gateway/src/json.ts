/** An object of JSON, of whose members nothing is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value of JSON is an object; a list is none. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is an object, else one without members: what is not there tells nothing. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
