/** Billed tokens of a text. */
export type TokenCounter = (text: string) => number;

const maxTexts = 20_000;
/** Shorter texts cost less to count than to look up. */
const minLength = 64;

/** `count` with a bounded memory, since each request of a conversation repeats the texts of the one before. */
export function rememberCounts(count: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return (text) => {
    if (text.length < minLength) return count(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= maxTexts) known.clear();
    const tokens = count(text);
    known.set(text, tokens);
    return tokens;
  };
}
