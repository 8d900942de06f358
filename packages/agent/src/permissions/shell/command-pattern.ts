import type { Certainty, Pattern } from '../pattern.ts';
import type { PermissionAnswer } from '../rule.ts';
import { compileWildcard } from '../wildcard.ts';
import type { ShellWord } from './shell-use.ts';

/** A command, as it was written and by the bare name of its program. */
export interface CommandTarget {
  readonly words: readonly ShellWord[];
  /** In lower case; as it was written where the name is not known before it runs. */
  readonly bare: readonly ShellWord[];
}

/**
 * Compiles a pattern of single commands: words between spaces. `*` in a word stands for a run of characters; as the last
 * word it stands for any number of words, none included: `git log *`. In an `ask` or a `deny`, a program without a
 * folder is meant wherever it lies and in whatever case: `rm *` is `/bin/RM *` too.
 */
export function compileCommandPattern(pattern: string, answer: PermissionAnswer): Pattern<CommandTarget> {
  const words = pattern.split(/\s+/).filter((word) => word !== '');
  if (/[|;&<>()`$'"\\]/.test(pattern)) {
    return {
      type: 'refused',
      reason: 'expected one plain command, without operators, quotes and expansions',
    };
  }
  const [program = '', ...rest] = words;
  const isWide = answer !== 'allow' && !/[/\\]/.test(program);
  const name = isWide ? program.toLowerCase() : program;
  const isOpen = words.at(-1) === '*';
  const tests = (isOpen ? [name, ...rest].slice(0, -1) : [name, ...rest]).map(compileWildcard);
  return {
    type: 'pattern',
    match(target) {
      const command = isWide ? target.bare : target.words;
      const [first] = command;
      // Most rules are about other programs, and are done with here.
      if (first?.type === 'text' && tests[0]?.(first.text) === false) return 'no';
      return matchWords(command, tests, isOpen);
    },
  };
}

/** Keeps the set of pattern positions that the words so far can lead to: an unknown word leads to all later ones. */
function matchWords(
  command: readonly ShellWord[],
  tests: readonly ((word: string) => boolean)[],
  isOpen: boolean,
): Certainty {
  let positions: readonly number[] = [0];
  let found: Certainty = 'yes';
  for (const word of command) {
    if (isOpen && positions.includes(tests.length)) return found;
    if (word.type === 'unknown') {
      const least = Math.min(...positions);
      positions = Array.from({ length: tests.length - least + 1 }, (_, index) => least + index);
      found = 'maybe';
    } else {
      positions = positions.filter((at) => tests[at]?.(word.text) === true).map((at) => at + 1);
      if (positions.length === 0) return 'no';
    }
  }
  return positions.includes(tests.length) ? found : 'no';
}
