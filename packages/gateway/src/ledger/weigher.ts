import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** Counts o200k tokens without holding anything up: a text in pieces, each text once. */
export interface Weigher {
  /** o200k tokens of `text`. */
  weigh(text: string): Promise<number>;
  /** The same for a text that costs something to make; `digest` names it, and it is made where that is not known yet. */
  weighMade(digest: string, make: () => string): Promise<number>;
}

const maxTexts = 8_192;
/** A piece of this many characters takes about 5 ms to count. */
const pieceLength = 16_384;
/** Shorter texts cost less to count than to look up. */
const minKeptLength = 64;

/** Keeps the weights of long texts, up to a bound; gives way to other work between the pieces of a very long one. */
export function createWeigher(countTokens: (text: string) => number): Weigher {
  const known = new Map<string, number>();

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

  async function weighMade(digest: string, make: () => string): Promise<number> {
    const before = known.get(digest);
    if (before !== undefined) return before;
    const tokens = await countInPieces(make());
    if (known.size >= maxTexts) known.clear();
    known.set(digest, tokens);
    return tokens;
  }

  return {
    async weigh(text) {
      if (text.length < minKeptLength) return countTokens(text);
      return weighMade(hash('sha256', text, 'base64'), () => text);
    },
    weighMade,
  };
}

/** Pieces end before a space, where a token begins too. */
function pieceEnd(text: string, start: number): number {
  const wanted = start + pieceLength;
  if (wanted >= text.length) return text.length;
  const space = text.lastIndexOf(' ', wanted);
  return space > start ? space : wanted;
}
