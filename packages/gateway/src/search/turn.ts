import { latin1Of, textOf } from '../latin1.ts';

/**
 * What one answer's tool searches came to: the blocks that were taken out of it, with their places, and the declarations
 * of the tools that they loaded. By it a later request is given back what its transcript lacks (Q2, Q3).
 */
export interface SearchTurn {
  /** Names of the blocks that the client saw, in order. */
  readonly shown: readonly string[];
  /** In order; none where the client saw the searches as well. */
  readonly gaps: readonly SearchGap[];
  /** Entries of `tools`, deferred and unmarked, by name (latin1 JSON). */
  readonly definitions: Readonly<Record<string, string>>;
}

/** A run of blocks that the client did not see, between two that it did. */
export interface SearchGap {
  /** How many of those that it saw stood before. */
  readonly at: number;
  /** The texts around, as one: its name, how long it is, and how much of it stood before (UTF-16 units). */
  readonly inText?: { readonly name: string; readonly length: number; readonly before: number };
  readonly blocks: readonly SearchBlock[];
}

/** A search, or what it found. */
export interface SearchBlock {
  /** As the provider spelled it (latin1). */
  readonly json: string;
  readonly type: string;
  /** Of the search. */
  readonly callId: string;
  /** The tools that it loaded. */
  readonly references: readonly string[];
}

const version = 2;

/** The form in which the store keeps it. */
export function printTurn({ shown, gaps, definitions }: SearchTurn): string {
  return JSON.stringify({ version, ...recoded({ shown, gaps, definitions }, textOf) });
}

/** `undefined`: not of this version's making. */
export function parseTurn(text: string): SearchTurn | undefined {
  try {
    const parsed = JSON.parse(text) as { readonly version?: unknown } & SearchTurn;
    if (parsed.version !== version) return undefined;
    return recoded(parsed, (json) => latin1Of(Buffer.from(json, 'utf8')));
  } catch {
    return undefined;
  }
}

function recoded({ shown, gaps, definitions }: SearchTurn, recode: (json: string) => string): SearchTurn {
  return {
    shown,
    gaps: gaps.map((gap) => ({
      ...gap,
      blocks: gap.blocks.map((block) => ({ ...block, json: recode(block.json) })),
    })),
    definitions: Object.fromEntries(Object.entries(definitions).map(([name, json]) => [name, recode(json)])),
  };
}
