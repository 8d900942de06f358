import { setImmediate } from 'node:timers/promises';
import { digestOf } from '../conversation/digest.ts';
import { renderedText } from './rendered-text.ts';

/** Counts o200k tokens without holding anything up: a text in pieces, each text once. One tenant's (law 8). */
export interface Weigher {
  /** o200k tokens of `text`. */
  weigh(text: string): Promise<number>;
  /** The same for what the model reads of a part of a request, given as latin1 JSON with its `digestOf`. */
  weighPart(latin1: string, digest: number): Promise<number>;
  /** What is known of a part already, for who would otherwise wait for every one of a hundred. */
  knownPart(digest: number): number | undefined;
}

const maxTexts = 8_192;
/** A piece of this many characters takes about 5 ms to count. */
const pieceLength = 16_384;
/** Shorter texts cost less to count than to look up. */
const minKeptLength = 64;

/** Keeps the weights of long texts, up to a bound; gives way to other work between the pieces of a very long one. */
export function createWeigher(countTokens: (text: string) => number): Weigher {
  const texts = new Map<number, number>();
  const parts = new Map<number, number>();

  async function countInPieces(text: string): Promise<number> {
    let tokens = 0;
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start);
      tokens += countTokens(text.slice(start, end));
      start = end;
      if (start < text.length) await setImmediate();
    }
    return tokens;
  }

  async function learn(known: Map<number, number>, digest: number, text: string): Promise<number> {
    const tokens = await countInPieces(text);
    if (known.size >= maxTexts) known.clear();
    known.set(digest, tokens);
    return tokens;
  }

  return {
    async weigh(text) {
      if (text.length < minKeptLength) return countTokens(text);
      const digest = digestOf(text);
      return texts.get(digest) ?? learn(texts, digest, text);
    },
    async weighPart(latin1, digest) {
      return parts.get(digest) ?? learn(parts, digest, renderedText(latin1));
    },
    knownPart: (digest) => parts.get(digest),
  };
}

/** Pieces end before a space, where a token begins too. */
function pieceEnd(text: string, start: number): number {
  const wanted = start + pieceLength;
  if (wanted >= text.length) return text.length;
  const space = text.lastIndexOf(' ', wanted);
  return space > start ? space : wanted;
}
