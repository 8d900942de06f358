/** More words than this make a query no better, only slower. */
const maxQueryWords = 64;

/**
 * The words of a text in order, in one case and one form. They are found by the rules of Unicode and, for Chinese,
 * Japanese, Thai and other languages without spaces, by dictionary (S2).
 */
export function wordsOf(text: string): readonly string[] {
  const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
  return Array.from(segmenter.segment(text.normalize('NFKC').toLowerCase()))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}

/** What to search for, each word once. */
export function queryWords(query: string): readonly string[] {
  return [...new Set(wordsOf(query))].slice(0, maxQueryWords);
}
