import { inputText } from './input-words.ts';
import { createWordReader, plainName } from './tool-words.ts';

/** What a tool is found by. */
export interface SearchableTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: object;
}

/** Tools that can be searched. */
export interface ToolIndex<Tool> {
  /** The first `limit` that have a word of `query`, the best first; equally good ones in the order of the tools. */
  rank(query: string, options: { readonly limit: number }): readonly Tool[];
}

/**
 * Reads the tools once, so that a search costs no more than the hits of its words. Whole words count, by their stems: the
 * rarer one is among the tools the more it does, and more in a name than in a description, more there than in the
 * arguments (BM25F). A tool that the query is the name of comes first. Without a hit nothing comes.
 */
export function createToolIndex<Tool extends SearchableTool>(tools: readonly Tool[]): ToolIndex<Tool> {
  const hits = collectHits(tools);
  const names = tools.map(({ name }) => plainName(name));
  return {
    rank(query, { limit }) {
      const scores = scoreHits(query, hits, tools.length);
      const name = plainName(query);
      for (const [index, own] of names.entries()) if (own === name && own !== '') scores.set(index, Infinity);
      return [...scores]
        .toSorted(byScore)
        .slice(0, limit)
        .flatMap(([index]) => tools[index] ?? []);
    },
  };
}

/** By the index of a tool: how often a word stands in it, by the weight and the length of where it stands. */
type Hits = ReadonlyMap<number, number>;

type Scores = Map<number, number>;

/** Where words are looked for. In a long text each of them says less. */
const parts = [
  { textOf: ({ name }: SearchableTool) => name, weight: 3 },
  { textOf: ({ description }: SearchableTool) => description, weight: 1 },
  { textOf: ({ inputSchema }: SearchableTool) => inputText(inputSchema), weight: 0.5 },
] as const;
const lengthShare = 0.75;

/** The usual value: how soon more of the same word stops to count. */
const saturation = 1.2;

function collectHits(tools: readonly SearchableTool[]): ReadonlyMap<string, Hits> {
  const readWords = createWordReader();
  const hits = new Map<string, Map<number, number>>();
  for (const { textOf, weight } of parts) {
    const texts = tools.map((tool) => readWords(textOf(tool)));
    const meanLength = texts.reduce((total, { length }) => total + length, 0) / tools.length || 1;
    for (const [index, words] of texts.entries()) {
      const frequency = weight / (1 - lengthShare + (lengthShare * words.length) / meanLength);
      for (const word of words) {
        const ofWord = hits.get(word) ?? new Map<number, number>();
        hits.set(word, ofWord.set(index, (ofWord.get(index) ?? 0) + frequency));
      }
    }
  }
  return hits;
}

function scoreHits(query: string, hits: ReadonlyMap<string, Hits>, toolCount: number): Scores {
  const scores: Scores = new Map();
  for (const word of new Set(createWordReader()(query))) {
    const ofWord: Hits = hits.get(word) ?? new Map();
    const rarity = Math.log(1 + (toolCount - ofWord.size + 0.5) / (ofWord.size + 0.5));
    for (const [index, frequency] of ofWord) {
      const gain = (rarity * frequency) / (saturation + frequency);
      scores.set(index, (scores.get(index) ?? 0) + gain);
    }
  }
  return scores;
}

function byScore([left, leftScore]: [number, number], [right, rightScore]: [number, number]): number {
  return leftScore === rightScore ? left - right : rightScore - leftScore;
}
