import { hash } from 'node:crypto';
import { isObject, objectsIn, textOf, without } from '../json.ts';
import type { JsonObject } from '../json.ts';

/**
 * The text of a content block as the model reads it. `definitions` are those that a reference expands, by tool name;
 * an inline definition joins them. `caller` is no part of the text: clients drop it from what they send back.
 */
export function renderBlock(json: JsonObject, type: string, definitions: Map<string, JsonObject>): string {
  switch (type) {
    case 'text':
      return renderText(json);
    case 'thinking':
      return String(json['thinking']);
    case 'redacted_thinking':
      return String(json['data']);
    case 'tool_use':
    case 'server_tool_use':
      return `${String(json['name'])} ${JSON.stringify(json['input'])}`;
    case 'tool_result':
      return renderResult(json['content'], definitions);
    case 'tool_search_tool_result':
      return renderSearchResult(json['content'], definitions);
    case 'tool_addition':
    case 'tool_removal':
      return renderChange(json, type, definitions);
    default:
      return JSON.stringify(without(json, 'cache_control'), hideData);
  }
}

function renderText(json: JsonObject): string {
  const citations =
    Array.isArray(json['citations']) && json['citations'].length > 0 ? json['citations'] : undefined;
  return citations === undefined
    ? String(json['text'])
    : `${String(json['text'])}\n${JSON.stringify(citations)}`;
}

function renderResult(content: unknown, definitions: ReadonlyMap<string, JsonObject>): string {
  if (typeof content === 'string') return content;
  const items = objectsIn(content).map((item) =>
    item['type'] === 'tool_reference'
      ? expand(item, definitions)
      : renderBlock(item, String(item['type']), new Map()),
  );
  return items.join('\n');
}

function renderSearchResult(content: unknown, definitions: ReadonlyMap<string, JsonObject>): string {
  if (!isObject(content)) return '';
  if (!Array.isArray(content['tool_references'])) return JSON.stringify(content);
  return objectsIn(content['tool_references'])
    .map((item) => expand(item, definitions))
    .join('\n');
}

/** A reference to a tool that is loaded anyway shows its name only. */
function expand(reference: JsonObject, definitions: ReadonlyMap<string, JsonObject>): string {
  const name = textOf(reference['tool_name']) ?? '';
  const definition = definitions.get(name);
  return definition === undefined ? name : `${name} ${renderDefinition(definition)}`;
}

/** An inline definition holds from here on, also for later references. */
function renderChange(json: JsonObject, type: string, definitions: Map<string, JsonObject>): string {
  const target = isObject(json['tool']) ? json['tool'] : {};
  const name = textOf(target['name']) ?? textOf(target['server_name']) ?? '';
  if (type === 'tool_removal') return `removed ${name}`;
  if (isObject(target['definition'])) {
    definitions.set(String(target['definition']['name']), target['definition']);
    return renderDefinition(target['definition']);
  }
  const definition = definitions.get(name);
  return definition === undefined ? `added ${name}` : renderDefinition(definition);
}

/** A definition as the model reads it: marks and flags left out, the schema's own keys in the order they came. */
export function renderDefinition(definition: JsonObject): string {
  const { name, description, input_schema: schema, ...others } = definition;
  const rest = without(others, 'cache_control', 'defer_loading');
  return JSON.stringify({ name, description, input_schema: schema, ...rest });
}

/** Pictures and files count by their kind, not by their bytes; a hash of the bytes stands for them. */
function hideData(key: string, value: unknown): unknown {
  return key === 'data' && typeof value === 'string' ? hash('sha256', value) : value;
}
