import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { Tool } from './request.ts';

const maxQueryLength = 500;
const maxPatternLength = 200;
const maxLimit = 10_000;
const defaultLimit = 5;

/**
 * Runs the provider's own search over the deferred tools and answers the `content` of the result block (rule 13):
 * references, best first, an empty list where nothing matches, or an error that the model sees.
 */
export function searchTools(search: Tool, input: JsonObject, tools: readonly Tool[]): JsonObject {
  const deferred = tools.filter((tool) => tool.isDeferred);
  const limit = input['limit'] ?? defaultLimit;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    return invalidInput(`limit must be a whole number from 1 to ${maxLimit}`);
  }
  const found =
    search.search === 'regex'
      ? matchPattern(textOf(input['pattern']) ?? '', deferred)
      : rankByQuery(textOf(input['query']) ?? '', deferred);
  if (typeof found === 'string') return invalidInput(found);
  const references = found.slice(0, limit).map((tool) => ({ type: 'tool_reference', tool_name: tool.name }));
  return { type: 'tool_search_tool_search_result', tool_references: references };
}

/** The input by which a model asks for one tool that it knows by name. */
export function exactNameInput(search: Tool, name: string): JsonObject {
  if (search.search !== 'regex') return { query: name, limit: 1 };
  return { pattern: `^${name.replace(/[^a-zA-Z0-9_-]/g, '\\$&')}$`, limit: 1 };
}

function invalidInput(message: string): JsonObject {
  return { type: 'tool_search_tool_result_error', error_code: 'invalid_tool_input', error_message: message };
}

/** Python's `re.search` without case, as far as JavaScript's expressions reach; a string is the error. */
function matchPattern(pattern: string, tools: readonly Tool[]): readonly Tool[] | string {
  if (pattern.length > maxPatternLength) return `pattern must have at most ${maxPatternLength} characters`;
  try {
    const expression = new RegExp(pattern.replace(/^\(\?i\)/, ''), 'i');
    return tools.filter((tool) => fieldsOf(tool).some((field) => expression.test(field)));
  } catch (error) {
    return `Invalid regular expression pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** An exact name comes first, then BM25 (k1 1.2, b 0.75); ties in the order of `tools`. */
function rankByQuery(query: string, tools: readonly Tool[]): readonly Tool[] | string {
  if (query.length > maxQueryLength) return `query must have at most ${maxQueryLength} characters`;
  const documents = tools.map((tool) => ({ tool, words: wordsOf(fieldsOf(tool).join(' ')) }));
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length);
  const terms = [...new Set(wordsOf(query))];
  const holding = new Map(
    terms.map((term) => [term, documents.filter(({ words }) => words.includes(term)).length]),
  );
  const score = (words: readonly string[]): number =>
    terms.reduce((sum, term) => {
      const count = words.filter((word) => word === term).length;
      const rarity = holding.get(term) ?? 0;
      const weight = Math.log(1 + (documents.length - rarity + 0.5) / (rarity + 0.5));
      return sum + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * words.length) / average));
    }, 0);
  return documents
    .map(({ tool, words }) => ({ tool, score: tool.name === query.trim() ? Infinity : score(words) }))
    .filter((scored) => scored.score > 0)
    .toSorted((a, b) => b.score - a.score || 0)
    .map((scored) => scored.tool);
}

/** What is searched: name, description, argument names, argument descriptions. */
function fieldsOf({ name, definition }: Tool): readonly string[] {
  const schema = isObject(definition['input_schema']) ? definition['input_schema'] : {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const parts = Object.entries(properties).flatMap(([key, value]) => [
    key,
    ...(isObject(value) && typeof value['description'] === 'string' ? [value['description']] : []),
  ]);
  const description = definition['description'];
  return [name, ...(typeof description === 'string' ? [description] : []), ...parts];
}

/** Words without case, split at snake_case, camelCase and punctuation. */
function wordsOf(text: string): readonly string[] {
  return (
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
