import { formatWords } from './shell-use.ts';
import type { Inner, ShellWord } from './shell-use.ts';

/** They change what later words of the line mean, or run a text that is kept elsewhere. */
const opaque: ReadonlySet<string> = new Set(
  (
    '. source alias bind compgen complete compopt coproc enable fc hash history let mapfile ' +
    'readarray shopt unalias wait'
  ).split(' '),
);

/** They set the variables that are their arguments. */
const setters: ReadonlySet<string> = new Set([
  'declare',
  'export',
  'getopts',
  'local',
  'read',
  'readonly',
  'typeset',
  'unset',
]);

type Look = (texts: readonly string[]) => readonly Inner[] | undefined;

/** By name, over arguments that are all known; `undefined` where they hide something. */
const looks: Readonly<Record<string, Look>> = {
  jobs: (texts) => (texts.some((text) => /^-\w*x/.test(text)) ? undefined : []),
  eval: (texts) => [{ type: 'text', text: withoutDashes(texts).join(' ') }],
  trap: lookIntoTrap,
  set: (texts) => (texts.every((text) => /^([-+][eux]*o?|pipefail)$/.test(text)) ? [] : undefined),
  '[': lookIntoTest,
  test: lookIntoTest,
};

/** What a builtin of bash runs or sets besides itself. */
export function lookIntoBuiltin(name: string, words: readonly ShellWord[]): readonly Inner[] {
  const hidden: readonly Inner[] = [{ type: 'unknown', written: formatWords(words) }];
  const [first] = words.slice(1);
  if (opaque.has(name)) return hidden;
  // Its first word alone can make it set a variable.
  if (name === 'printf') return first?.type === 'text' && !first.text.startsWith('-v') ? [] : hidden;
  const look = setters.has(name) ? findNames : Object.hasOwn(looks, name) ? looks[name] : undefined;
  if (look === undefined) return [];
  const texts = words.slice(1).flatMap((word) => (word.type === 'text' ? [word.text] : []));
  return texts.length === words.length - 1 ? (look(texts) ?? hidden) : hidden;
}

/** `--` ends the options, of which there are none to see here. */
function withoutDashes(texts: readonly string[]): readonly string[] {
  return texts[0] === '--' ? texts.slice(1) : texts;
}

function lookIntoTrap(texts: readonly string[]): readonly Inner[] {
  const [action = ''] = withoutDashes(texts);
  return action.startsWith('-') ? [] : [{ type: 'text', text: action }];
}

/** Either operator evaluates the index in a name. */
function lookIntoTest(texts: readonly string[]): readonly Inner[] | undefined {
  return texts.includes('-v') || texts.includes('-R') ? undefined : [];
}

/**
 * `undefined` where a name has an index, an option may make a value a name or arithmetic (`-n`, `-i`, `-a`), or a value
 * is in parentheses: of a variable that is an array already bash reads it as a list, and runs the commands in it.
 */
function findNames(texts: readonly string[]): readonly Inner[] | undefined {
  const options = texts.filter((text) => /^[-+]/.test(text));
  const names = texts.filter((text) => !/^[-+]/.test(text)).map((text) => text.replace(/\+?=.*$/s, ''));
  const isPlain =
    options.every((text) => /^(--|-[fgprsvx]+)$/.test(text)) &&
    names.every((name) => /^\w+$/.test(name)) &&
    !texts.some((text) => text.includes('=('));
  return isPlain ? names.map((name) => ({ type: 'environment', name })) : undefined;
}
