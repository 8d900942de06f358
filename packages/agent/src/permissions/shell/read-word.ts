import type { ArrayValue, Assignment, Word, WordPart } from 'unbash';
import { textWord, unknownWord } from './shell-use.ts';
import type { ShellWord } from './shell-use.ts';

/** The word's text where it is the same at each run; unknown with an expansion, a glob, a brace or a `~` in it. */
export function readWord(word: Word): ShellWord {
  const isFixed = (word.parts ?? []).every(isFixedPart) && !/^~|[:=]~/.test(word.text);
  return isFixed ? textWord(word.value) : unknownWord(word.text);
}

/** An argument of the form `name=value`, as a word. */
export function readAssignment(assignment: Assignment): ShellWord {
  const { value, text, index, name, append } = assignment;
  const read = isArray(value) || index !== undefined ? unknownWord(text) : readWord(value);
  if (read.type === 'unknown') return unknownWord(text);
  return textWord(`${name}${append === true ? '+' : ''}=${read.text}`);
}

/** The path that a redirection names: `~/` stays, for the reader of paths. */
export function readPathWord(word: Word): string | undefined {
  const isHome = /^~(\/|$)/.test(word.text) && (word.parts ?? []).every(isFixedPart);
  if (isHome) return word.value;
  const read = readWord(word);
  return read.type === 'text' ? escapeHome(read.text) : undefined;
}

/** A quoted `~` is a name and no home. */
function escapeHome(path: string): string {
  return path.startsWith('~') ? `./${path}` : path;
}

function isFixedPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return true;
    case 'DoubleQuoted':
      return part.parts.every(isFixedPart);
    case 'AnsiCQuoted':
      // `\x{72}`, which bash reads and does not document, is no letter to the parser.
      return /^[\x20-\x7e]*$/.test(part.value) && !part.text.includes('\\x{');
    default:
      return false;
  }
}

function isArray(value: Word | ArrayValue): value is ArrayValue {
  return value.type === 'ArrayValue';
}
