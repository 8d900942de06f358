import fc from 'fast-check';

/** A command line that is built around its commands, so that nobody has to read it to know them. */
export interface Line {
  readonly text: string;
  readonly commands: readonly string[];
  /** Files that are written, variables that are set. */
  readonly others: readonly string[];
}

const nothing: readonly string[] = [];
/** Lines of commands in commands. */
export const { line } = fc.letrec<{ line: Line; word: Line; command: Line }>((tie) => {
  const nested = (build: (inner: string) => string) =>
    tie('line').map((inner) => ({ ...inner, text: build(inner.text) }));
  const plain = fc
    .constantFrom('x', '-rf', "'rm y; z'", '"a b"', 'a\\;rm', '*.md', '$HOME', '"$@"', "$'a'", '--', 'a#x')
    .map((text): Line => ({ text, commands: nothing, others: nothing }));
  return {
    word: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: plain },
      nested((inner) => `$(${inner}\n)`),
      nested((inner) => `"$(${inner}\n)"`),
      nested((inner) => `<(${inner}\n)`),
      nested((inner) => `\${x:-$(${inner}\n)}`),
      nested((inner) => `"\${x:+$(${inner}\n)}"`),
    ),
    command: fc
      .record({
        set: fc.constantFrom('', '', '', '', 'PATH=x '),
        name: fc.constantFrom('git', 'git', 'ls', 'ls', 'rm', '"rm"', 'r\\m', 'g"i"t', '/bin/rm'),
        words: fc.array(tie('word'), { maxLength: 3 }),
        redirect: fc.constantFrom('', '', '', '', ' > out', ' 2>&1', ' >/dev/null', ' &> out'),
      })
      .map(({ set, name, words, redirect }): Line => ({
        text: `${set}${[name, ...words.map(({ text }) => text)].join(' ')}${redirect}`,
        commands: [name.replaceAll(/["\\]|.*\//g, ''), ...words.flatMap(({ commands }) => commands)],
        others: [
          set,
          redirect.includes('out') ? redirect : '',
          ...words.flatMap(({ others }) => others),
        ].filter((text) => text !== ''),
      })),
    line: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 5, arbitrary: tie('command') },
      fc
        .tuple(tie('line'), fc.constantFrom(' && ', ' || ', '\n', ' | ', ' |& ', ' &\n'), tie('command'))
        .map(([left, operator, right]) => ({
          text: left.text + operator + right.text,
          commands: [...left.commands, ...right.commands],
          others: [...left.others, ...right.others],
        })),
      nested((inner) => `(${inner}\n)`),
      nested((inner) => `{ ${inner}\n}`),
      nested((inner) => `if ${inner}\nthen ls; fi`),
      nested((inner) => `for i in a; do ${inner}\ndone`).map((each) => ({
        ...each,
        others: [...each.others, 'i'],
      })),
      nested((inner) => `while ${inner}\ndo ls; done`),
      nested((inner) => `case a in *) ${inner}\n;; esac`),
      nested((inner) => `! ${inner.includes('\n') ? `{ ${inner}\n}` : inner}`),
      nested((inner) => `sh -c ${quote(inner)}`).map((each) => ({
        ...each,
        commands: ['sh', ...each.commands],
      })),
      nested((inner) => `eval ${quote(inner)}`).map((each) => ({
        ...each,
        commands: ['eval', ...each.commands],
      })),
    ),
  };
});

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
