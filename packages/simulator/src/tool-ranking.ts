import { isObject } from './json.ts';
import type { JsonObject } from './json.ts';

/** What a search looks at. */
export interface SearchedTool {
  readonly name: string;
  readonly definition: JsonObject;
}

/** Where an API keeps the schema of a tool's arguments. */
export type SchemaKey = 'input_schema' | 'parameters';

/** An exact name comes first, then BM25 (k1 1.2, b 0.75); ties in the order of `tools`. */
export function rankTools<Tool extends SearchedTool>(
  query: string,
  tools: readonly Tool[],
  schemaKey: SchemaKey,
): readonly Tool[] {
  const documents = tools.map((tool) => ({ tool, words: wordsOf(searchedTexts(tool, schemaKey).join(' ')) }));
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
export function searchedTexts({ name, definition }: SearchedTool, schemaKey: SchemaKey): readonly string[] {
  const schema = isObject(definition[schemaKey]) ? definition[schemaKey] : {};
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
