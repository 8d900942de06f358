import type { JsonValue } from '@quartermaster/agent/messages';
import { isJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';

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
  const offered = [...branches.map(propertiesOf).toReversed(), own];
  return Object.fromEntries(offered.flatMap((properties) => Object.entries(properties)));
}

/** Members of a schema that hold schemas by names of the application's own. */
const named = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/**
 * The form of an answer as Anthropic and OpenAI want it said: each object says that it has no further members where it
 * does not say otherwise.
 */
export function closeObjects({ $schema: _, ...schema }: JsonObject): JsonObject {
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, member]) => [
      key,
      named.has(key) && isJsonObject(member) ? closeEach(member) : closeValue(member),
    ]),
  );
  const isOpen = isJsonObject(schema['properties']) && schema['additionalProperties'] === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

/** Whether every object requires all of its members, which is what OpenAI's `strict` wants. */
export function requiresAll(schema: JsonObject): boolean {
  const properties = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const required = new Set(listOf(schema['required']));
  return properties.every((name) => required.has(name)) && schemasIn(schema).every(requiresAll);
}

function schemasIn(schema: JsonObject): readonly JsonObject[] {
  return Object.entries(schema).flatMap(([key, member]) => {
    if (Array.isArray(member)) return member.filter(isJsonObject);
    if (!isJsonObject(member)) return [];
    return named.has(key) ? Object.values(member).filter(isJsonObject) : [member];
  });
}

function closeEach(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closeValue(schema)]));
}

function closeValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(closeValue);
  return isJsonObject(value) ? closeObjects(value) : value;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
