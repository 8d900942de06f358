import { hash } from 'node:crypto';
import type { TokenCounter } from './token-counter.ts';

/** One thing the model reads, in render order. */
export interface PromptPiece {
  readonly kind: 'tool' | 'system' | 'message';
  /** What makes two equal texts differ, such as a role or an id. Hashed, not counted. */
  readonly tag: string;
  /** Hashed and counted. */
  readonly text: string;
  /** How long the client wants the prompt up to here in the cache; absent where it marks nothing. */
  readonly breakpoint?: string | undefined;
}

/** A place in the rendered prompt where two prompts can begin to differ. */
export interface PromptPosition {
  /** Of everything up to here. */
  readonly hash: string;
  /** Up to and including this position. */
  readonly tokens: number;
  /** Of the piece that ends here. */
  readonly breakpoint?: string | undefined;
}

/** A prompt as the model reads it. */
export interface FlatPrompt {
  /** The first is the head's. */
  readonly positions: readonly PromptPosition[];
  readonly totalTokens: number;
  /** Tools and system: what a session's requests share. */
  readonly prefixTokens: number;
}

/** Folds pieces to a chain of hashes; `head` holds what changes the whole prompt, such as the model. */
export function foldPrompt(
  head: string,
  pieces: readonly PromptPiece[],
  countTokens: TokenCounter,
): FlatPrompt {
  const positions: PromptPosition[] = [{ hash: hash('sha256', head), tokens: 0 }];
  let prefixTokens = 0;
  for (const { kind, tag, text, breakpoint } of pieces) {
    const { hash: chain, tokens } = positions.at(-1) ?? { hash: '', tokens: 0 };
    const position = {
      hash: hash('sha256', `${chain}\n${kind}:${tag}\n${text}`),
      tokens: tokens + (text === '' ? 0 : countTokens(text)),
      breakpoint,
    };
    positions.push(position);
    if (kind !== 'message') prefixTokens = position.tokens;
  }
  return { positions, totalTokens: positions.at(-1)?.tokens ?? 0, prefixTokens };
}

/** What a request's record knows of its prompt. */
export function promptRecord({ positions, prefixTokens }: FlatPrompt): {
  readonly renderedPrefixHashes: readonly string[];
  readonly prefixTokens: number;
} {
  return { renderedPrefixHashes: positions.map((position) => position.hash.slice(0, 16)), prefixTokens };
}
