import { textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { rankTools, searchedTexts } from '../tool-ranking.ts';
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
    return tools.filter((tool) =>
      searchedTexts(tool, 'input_schema').some((field) => expression.test(field)),
    );
  } catch (error) {
    return `Invalid regular expression pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function rankByQuery(query: string, tools: readonly Tool[]): readonly Tool[] | string {
  if (query.length > maxQueryLength) return `query must have at most ${maxQueryLength} characters`;
  return rankTools(query, tools, 'input_schema');
}
