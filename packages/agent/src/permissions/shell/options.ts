import type { ShellWord } from './shell-use.ts';

/** The options of a program, as far as they change nothing about what it runs. */
export interface OptionList {
  /** Letters without a value. */
  readonly flags?: string;
  /** Letters with a value, attached or in the next word. */
  readonly values?: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
}

/** The words after the options; `undefined` where one of them is not in the list or not known. */
export function skipOptions(words: readonly ShellWord[], list: OptionList): readonly ShellWord[] | undefined {
  let rest = words;
  for (;;) {
    const [word] = rest;
    if (word === undefined) return rest;
    if (word.type === 'unknown') return undefined;
    if (word.text === '--') return rest.slice(1);
    if (!/^-./.test(word.text)) return rest;
    const length = word.text.startsWith('--')
      ? longLength(word.text.slice(2), list)
      : shortLength(word.text, list);
    if (length === undefined || rest.slice(1, length).some(({ type }) => type === 'unknown'))
      return undefined;
    rest = rest.slice(length);
  }
}

/** How many words the option takes up. */
function longLength(option: string, { longFlags = [], longValues = [] }: OptionList): number | undefined {
  const [name = ''] = option.split('=', 1);
  const hasValue = option.includes('=');
  if (longFlags.includes(name)) return hasValue ? undefined : 1;
  if (!longValues.includes(name)) return undefined;
  return hasValue ? 1 : 2;
}

function shortLength(cluster: string, { flags = '', values = '' }: OptionList): number | undefined {
  for (let position = 1; position < cluster.length; position += 1) {
    const letter = cluster.charAt(position);
    if (values.includes(letter)) return position === cluster.length - 1 ? 2 : 1;
    if (!flags.includes(letter)) return undefined;
  }
  return 1;
}
