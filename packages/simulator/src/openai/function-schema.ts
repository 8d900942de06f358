import { isObject, objectsIn } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { refuseLonger, refuseMember } from './checks.ts';

const namePattern = /^[a-zA-Z0-9_-]+$/;
const maxNameLength = 64;

/** A function's name, as Responses and Chat take it. */
export function checkFunctionName(name: string, path: string): void {
  refuseLonger(name, maxNameLength, path);
  if (namePattern.test(name)) return;
  throw refuseMember(
    `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${namePattern.source}'.`,
    'invalid_value',
    path,
  );
}

/** The schema of a function's arguments; `isStrict` asks for what structured outputs need on every level. */
export function checkFunctionSchema(
  schema: JsonObject,
  { name, path, isStrict }: { readonly name: string; readonly path: string; readonly isStrict: boolean },
): void {
  const fault = rootFault(schema) ?? (isStrict ? strictFault(schema, []) : looseFault(schema, []));
  if (fault === undefined) return;
  throw refuseMember(`Invalid schema for function '${name}': ${fault}`, 'invalid_function_parameters', path);
}

function rootFault(schema: JsonObject): string | undefined {
  if (schema['type'] !== 'object') {
    const came = typeof schema['type'] === 'string' ? schema['type'] : 'None';
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${came}"'.`;
  }
  return isObject(schema['properties']) ? undefined : 'In context=(), object schema missing properties.';
}

/** What is wrong with any schema: an array that does not say of what. */
function looseFault(schema: JsonObject, context: readonly string[]): string | undefined {
  if (schema['type'] === 'array' && schema['items'] === undefined) {
    return `In context=${formatContext(context)}, array schema missing items.`;
  }
  return firstFault(schema, context, looseFault);
}

function strictFault(schema: JsonObject, context: readonly string[]): string | undefined {
  if (schema['type'] !== 'object')
    return looseFault(schema, context) ?? firstFault(schema, context, strictFault);
  const at = `In context=${formatContext(context)}`;
  if (schema['additionalProperties'] !== false) {
    return `${at}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const absent = properties.find((name) => !required.includes(name));
  if (absent !== undefined) {
    return (
      `${at}, 'required' is required to be supplied and to be an array including every key in properties. ` +
      `Missing '${absent}'.`
    );
  }
  return firstFault(schema, context, strictFault);
}

type FindFault = (schema: JsonObject, context: readonly string[]) => string | undefined;

/** The first fault among a schema's own schemas. */
function firstFault(schema: JsonObject, context: readonly string[], find: FindFault): string | undefined {
  for (const { inner, place } of innerSchemas(schema)) {
    const fault = find(inner, [...context, ...place]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function innerSchemas(
  schema: JsonObject,
): readonly { readonly inner: JsonObject; readonly place: readonly string[] }[] {
  const named = ['properties', '$defs'].flatMap((key) =>
    Object.entries(isObject(schema[key]) ? schema[key] : {}).flatMap(([name, inner]) =>
      isObject(inner) ? [{ inner, place: [key, name] }] : [],
    ),
  );
  const items = isObject(schema['items']) ? [{ inner: schema['items'], place: ['items'] }] : [];
  const either = objectsIn(schema['anyOf']).map((inner, index) => ({
    inner,
    place: ['anyOf', String(index)],
  }));
  return [...named, ...items, ...either];
}

/** As Python prints a tuple, which is how the API names a place. */
function formatContext(context: readonly string[]): string {
  const names = context.map((part) => `'${part}'`);
  return names.length === 1 ? `(${names.join('')},)` : `(${names.join(', ')})`;
}
