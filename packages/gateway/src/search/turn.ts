import { latin1Of, textOf } from '../latin1.ts';

/**
 * What one answer's tool searches came to: the blocks that were taken out of it, with their places, and the declarations
 * of the tools that they loaded. By it a later request is given back what its transcript lacks (Q2, Q3).
 */
export interface SearchTurn {
  /** In order; none where the client saw the blocks. */
  readonly gaps: readonly SearchGap[];
  /** Entries of `tools`, deferred and unmarked, by name (latin1 JSON). */
  readonly definitions: Readonly<Record<string, string>>;
}

/** A run of blocks that the client did not see, between two that it did. */
export interface SearchGap {
  /** Names of the blocks that stood before and after; absent at the answer's ends. */
  readonly after?: string;
  readonly before?: string;
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

const version = 1;

export function printTurn({ gaps, definitions }: SearchTurn): string {
  return JSON.stringify({ version, ...recoded({ gaps, definitions }, textOf) });
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

function recoded({ gaps, definitions }: SearchTurn, recode: (json: string) => string): SearchTurn {
  return {
    gaps: gaps.map((gap) => ({
      ...gap,
      blocks: gap.blocks.map((block) => ({ ...block, json: recode(block.json) })),
    })),
    definitions: Object.fromEntries(Object.entries(definitions).map(([name, json]) => [name, recode(json)])),
  };
}
