import type { JsonSchema } from '@quartermaster/agent/engine';

/** How a tool's arguments are told to a model, and how what the model gives becomes what the server takes. */
export interface ArgumentForm {
  readonly schema: JsonSchema;
  /** The arguments stand in this property: as they are, no provider would take their schema. */
  readonly wrappedIn?: typeof wrapper;
}

/** A form, or why there is none. */
export type ArgumentReading =
  | { readonly type: 'form'; readonly form: ArgumentForm }
  | { readonly type: 'refused'; readonly reason: string };

const wrapper = 'arguments';

/** Of one tool, as JSON: about 25,000 tokens in every request. */
const maxSchemaBytes = 100_000;

/** Deeper ones would end the reading of them, ours or a provider's. */
const maxDepth = 100;

/** At the top of a schema at least one provider refuses them, and with them the whole request. */
const unfitAtTop = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'enum', 'const', '$ref', '$dynamicRef'];

/** Keys that all providers take. */
const fitKey = /^[\w.-]{1,64}$/;

/**
 * Makes what a server lists as a tool's schema fit for every provider without changing what it says (case 119): a tool
 * whose schema says nothing of objects takes any, one of several forms is wrapped into a property, and every keyword of
 * its root stays (case 121). Refused is what can't be an object, what refers to nothing, and what is too large.
 */
export function readArgumentSchema(listed: unknown): ArgumentReading {
  const schema = listed === null || listed === undefined || listed === true ? {} : listed;
  if (!isSchema(schema)) return refuse('its inputSchema is no JSON Schema');
  if (isDeeper(schema, maxDepth)) return refuse(`its inputSchema is nested more than ${maxDepth} deep`);
  const size = Buffer.byteLength(JSON.stringify(schema));
  if (size > maxSchemaBytes) {
    return refuse(`its inputSchema has ${size} bytes, more than ${maxSchemaBytes}`);
  }
  if (!mayBeObject(schema))
    return refuse(`its arguments are no object but ${JSON.stringify(schema['type'])}`);
  const references = [...referencesIn(schema)];
  const lost = references.find((reference) => !leadsSomewhere(schema, reference));
  if (lost !== undefined)
    return refuse(`its inputSchema refers to ${JSON.stringify(lost)}, which it has not`);
  return isFitAtTop(schema) ? form({ ...schema, type: 'object' }) : wrap(schema, references);
}

function form(schema: JsonSchema): ArgumentReading {
  return { type: 'form', form: { schema } };
}

function refuse(reason: string): ArgumentReading {
  return { type: 'refused', reason };
}

/** Definitions move with the root, so that what refers to them still finds them; nothing else may be referred to. */
function wrap(schema: JsonSchema, references: readonly string[]): ArgumentReading {
  const { $defs, definitions, $schema, ...inner } = schema;
  const isMovable = references.every((reference) => /^#\/(?:\$defs|definitions)\//.test(reference));
  if (!isMovable || '$id' in schema) return refuse('its inputSchema has several forms and refers to itself');
  const outer = {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { [wrapper]: inner },
    required: [wrapper],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
  return { type: 'form', form: { schema: outer, wrappedIn: wrapper } };
}

function isFitAtTop(schema: JsonSchema): boolean {
  const { properties = {} } = schema;
  if (!isSchema(properties)) return false;
  return (
    !unfitAtTop.some((keyword) => keyword in schema) &&
    Object.keys(properties).every((key) => fitKey.test(key))
  );
}

function mayBeObject({ type }: JsonSchema): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Every `$ref` in it. A property may be called so too; then its value is a schema and no text. */
function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') yield inner;
    else if (key !== 'enum' && key !== 'const' && key !== 'default' && key !== 'examples') {
      yield* referencesIn(inner);
    }
  }
}

/** A pointer into the schema itself; where it has identifiers of its own, nobody but a validator can say. */
function leadsSomewhere(schema: JsonSchema, reference: string): boolean {
  if (!reference.startsWith('#')) return false;
  if (reference !== '#' && !reference.startsWith('#/')) return true; // an anchor
  let place: unknown = schema;
  for (const step of reference.split('/').slice(1)) {
    const key = decodePointer(step);
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return false;
    place = Reflect.get(place, key);
  }
  return true;
}

function decodePointer(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}
