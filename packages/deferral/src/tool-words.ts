/** Reads the words of a text. */
export type ReadWords = (text: string) => readonly string[];

/**
 * A reader that remembers what it read, for many texts that have words in common. It gives the words in order, in the
 * form in which they are compared: in one case, without accents, by their stems, and without those that say nothing. A
 * name is taken apart at its capitals and at each sign, and what stands between signs is one word too, so that `GitHub`
 * is found by `github` and by `hub` (case 33). Languages without spaces are compared by pairs of characters.
 */
export function createWordReader(): ReadWords {
  const known = new Map<string, readonly string[]>();
  const readChunk = (chunk: string): readonly string[] => {
    const words = known.get(chunk) ?? splitChunk(chunk).filter(saysAnything).map(stem);
    known.set(chunk, words);
    return words;
  };
  return (text) => chunksOf(text).flatMap(readChunk);
}

/** A name by its letters and digits alone: `openTicket`, `open_ticket` and `Open ticket` are one. */
export function plainName(name: string): string {
  return chunksOf(name).join('').toLowerCase();
}

/** What stands between signs and spaces. */
function chunksOf(text: string): readonly string[] {
  return withoutAccents(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

function withoutAccents(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text; // most are
  const apart = text.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '');
  return apart.normalize('NFC');
}

function splitChunk(chunk: string): readonly string[] {
  return chunk
    .split(/([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}ー]+)/u)
    .flatMap((run, index) => (index % 2 === 1 ? pairsOf(run) : splitAtCapitals(run)));
}

function pairsOf(unspaced: string): readonly string[] {
  const [first = '', ...rest] = unspaced;
  return rest.length === 0
    ? [first]
    : rest.map((character, index) => `${index === 0 ? first : rest[index - 1]}${character}`);
}

/** `openTicket` is open, ticket and openticket; `PDFFile` is pdf, file and pdffile. */
function splitAtCapitals(run: string): readonly string[] {
  const parts = run.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}]+/gu) ?? [];
  const whole = run.toLowerCase();
  return parts.length < 2 ? parts.map(() => whole) : [...parts.map((part) => part.toLowerCase()), whole];
}

/** The same for the forms of an English word: archive, archives, archived and archiving; analyse, analyze and analysis. */
function stem(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  return word
    .replace(/(?:(?<=ss|sh|ch|x|i)es|(?<![isu]|^new)s|(?<=s)is)$/, '')
    .replace(/(?<=[aeiouy][a-z]*[^aeou])(?:ing|ed)$/, '')
    .replace(/(?<=[a-z]{3}[st])ion$/, '')
    .replace(/(?<=[a-z]{2})([b-df-hj-np-tv-z])\1$/, '$1')
    .replace(/e$/, '')
    .replace(/(?<=[a-z]{5})at$/, '')
    .replace(/(?<=[iy])z$/, 's')
    .replace(/y$/, 'i');
}

function saysAnything(word: string): boolean {
  return !emptyWords.has(word);
}

/** Words of sentences and questions that tell no tool from another. */
const emptyWords: ReadonlySet<string> = new Set(
  (
    'a about all also am an and any are as at be been but by can could did do does for from had has have help her here ' +
    'him his how i if in into is it its just let like ll me my need no not of on or our out please s she should so ' +
    'some such t than that the their them then there these they this those to too up us use using ve want was we ' +
    'were what when where which while who why will with would you your'
  ).split(' '),
);
