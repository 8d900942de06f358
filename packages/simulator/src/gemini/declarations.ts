import { isObject } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { readFields, readRepeated, refuseGemini } from './fields.ts';
import type { Declaration } from './request.ts';

const declarationKeys = [
  'behavior',
  'description',
  'name',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
];
/** The API's own `Schema`; what JSON Schema has beyond it belongs into `parametersJsonSchema`. */
const schemaKeys = [
  'anyOf',
  'default',
  'description',
  'enum',
  'example',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'nullable',
  'pattern',
  'properties',
  'propertyOrdering',
  'required',
  'title',
  'type',
];
const schemaTypes = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];
const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

/** The functions of one tool, each one's name and schema checked. */
export function readDeclarations(value: unknown, path: string): readonly Declaration[] {
  return readRepeated(value, path).map(({ item, at }) => {
    const definition = readFields(item, at, declarationKeys);
    const name = definition['name'];
    if (typeof name !== 'string' || !namePattern.test(name)) {
      throw refuseGemini(
        `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must ` +
          'be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n',
      );
    }
    if (definition['parameters'] !== undefined && definition['parametersJsonSchema'] !== undefined) {
      throw refuseGemini(
        `* GenerateContentRequest.${at}: parameters and parameters_json_schema are mutually exclusive.\n`,
      );
    }
    if (definition['parameters'] !== undefined) {
      checkSchema(definition['parameters'], `${at}.parameters`, `${at}.parameters`);
    }
    return { name, definition };
  });
}

/** A name is declared once in the whole request. */
export function checkUniqueDeclarations(declarations: readonly Declaration[]): void {
  const names = declarations.map((declaration) => declaration.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuseGemini(`Duplicate function declaration found: ${twice}`);
}

/** `path` counts a map's entries, as parsing names them; `place` names them, as validation does. */
function checkSchema(value: unknown, path: string, place: string): void {
  const schema = readFields(value, path, schemaKeys);
  const type = typeOf(schema['type'], path);
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (type === 'OBJECT' && properties.length === 0) {
    throw invalid(`${place}.properties`, 'should be non-empty for OBJECT type');
  }
  if (type === 'ARRAY' && schema['items'] === undefined) throw invalid(`${place}.items`, 'missing field.');
  if (schema['enum'] !== undefined && type !== 'STRING') {
    throw invalid(`${place}.enum`, 'only allowed for STRING type');
  }
  properties.forEach(([name, inner], index) =>
    checkSchema(inner, `${path}.properties[${index}].value`, `${place}.properties[${name}]`),
  );
  if (schema['items'] !== undefined) checkSchema(schema['items'], `${path}.items`, `${place}.items`);
  readRepeated(schema['anyOf'], `${path}.any_of`).forEach(({ item, at }, index) =>
    checkSchema(item, at, `${place}.any_of[${index}]`),
  );
}

function typeOf(value: unknown, path: string): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) {
    throw refuseGemini(
      `Invalid JSON payload received. Unknown name "type" at '${path}': Proto field is not repeating, cannot start list.`,
    );
  }
  const type = typeof value === 'string' ? value.toUpperCase() : '';
  if (schemaTypes.includes(type)) return type;
  throw refuseGemini(
    `Invalid value at '${path}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), ${JSON.stringify(value)}`,
  );
}

function invalid(place: string, fault: string): Error {
  return refuseGemini(`* GenerateContentRequest.${place}: ${fault}\n`);
}

/** The schema of a function's arguments; empty where it has none. */
export function argumentsSchema({ parameters, parametersJsonSchema }: JsonObject): JsonObject {
  const schema = parameters ?? parametersJsonSchema;
  return isObject(schema) ? schema : {};
}
