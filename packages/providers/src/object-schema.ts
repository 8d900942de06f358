import { isJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';
import type { JsonValue } from '@quartermaster/agent/messages';

const choices = ['anyOf', 'oneOf', 'allOf'] as const;
const refusedAtTop = new Set<string>(['$schema', ...choices, 'not', 'enum']);

/**
 * A tool's schema as every vendor takes it: of type object with `properties`, and none of the choices at the top that
 * Anthropic and OpenAI refuse. The members that only a choice has are offered beside the others; the registry checks
 * the arguments by the whole schema anyway (RT4).
 */
export function toObjectSchema(schema: JsonObject): JsonObject & { readonly type: 'object' } {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !refusedAtTop.has(key)));
  return { ...kept, type: 'object', properties: propertiesOf(schema) };
}

function propertiesOf(schema: JsonObject): JsonObject {
  const own = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const branches = choices.flatMap((key) => listOf(schema[key])).filter(isJsonObject);
  return Object.assign({}, ...branches.map(propertiesOf).toReversed(), own);
}

/**
 * The form of an answer as Anthropic and OpenAI want it said: each object says that it has no further members where it
 * does not say otherwise.
 */
export function closeObjects(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  const closed = closeValue(rest);
  return isJsonObject(closed) ? closed : rest;
}

/** Whether every object requires all of its members, which is what OpenAI's `strict` wants. */
export function requiresAll(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(requiresAll);
  if (!isJsonObject(value)) return true;
  const properties = isJsonObject(value['properties']) ? Object.keys(value['properties']) : [];
  const required = new Set(listOf(value['required']));
  return properties.every((name) => required.has(name)) && Object.values(value).every(requiresAll);
}

function closeValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(closeValue);
  if (!isJsonObject(value)) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closeValue(member)]));
  return isJsonObject(value['properties']) && value['additionalProperties'] === undefined
    ? { ...closed, additionalProperties: false }
    : closed;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
