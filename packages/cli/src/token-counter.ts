/** Runs without a break that are longer are counted in pieces: merging byte pairs takes quadratic time. */
const longestRun = 256;

/** Entries that the tokenizer remembers. Its own 100,000 make it 5 times slower once they are full, and hold on to text. */
const rememberedPieces = 1_000;

/**
 * Loads the o200k tokenizer (0.3 s) and answers its counter, whose time is linear in the text's length.
 * In runs of more than 256 characters without a break, such as base64, each piece may count a token more.
 */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base');
  setMergeCacheSize(rememberedPieces);
  // The texts are data: what looks like a control token in them is plain text.
  const options = { disallowedSpecial: new Set<string>() };
  const count = (text: string) => countTokens(text, options);
  // The first call builds the tables.
  count('');
  return (text) => {
    const cuts = findCuts(text);
    return cuts.length === 0 ? count(text) : countPieces(text, [...cuts, text.length], count);
  };
}

function countPieces(text: string, ends: readonly number[], count: (text: string) => number): number {
  let total = 0;
  let from = 0;
  for (const end of ends) {
    total += count(text.slice(from, end));
    from = end;
  }
  return total;
}

/** Where runs of white space, and of anything else, become longer than a piece may be. */
function findCuts(text: string): readonly number[] {
  const cuts: number[] = [];
  let start = 0;
  for (let position = 1; position < text.length; position++) {
    if (isBlank(text, position) !== isBlank(text, position - 1)) {
      start = position;
    } else if (position - start >= longestRun && !isLowSurrogate(text, position)) {
      cuts.push(position);
      start = position;
    }
  }
  return cuts;
}

function isBlank(text: string, position: number): boolean {
  return text.charCodeAt(position) <= 0x20;
}

function isLowSurrogate(text: string, position: number): boolean {
  return (text.charCodeAt(position) & 0xfc00) === 0xdc00;
}
