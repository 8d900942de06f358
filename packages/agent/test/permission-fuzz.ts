import fc from 'fast-check';
import { expect } from 'vitest';
import { decideOn, engineOf, rule } from './engine.ts';
import { runInBash } from './reference/bash.ts';
import { covers, walk, walkTidied } from './reference/paths.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly numRuns: number;
}

/** At least this share of the cases must be allowed, or the property says little. */
const leastAllowed = 0.01;

const part = fc.constantFrom('a', 'b', 'c', 'ab');
const path = fc
  .tuple(
    fc.constantFrom('/', '', './', '../', '//'),
    fc.array(fc.oneof({ weight: 5, arbitrary: part }, fc.constantFrom('..', '.', '')), { maxLength: 6 }),
  )
  .map(([start, parts]) => start + parts.join('/'));
const absolute = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const pathPattern = fc
  .tuple(absolute, fc.constantFrom('', '/**', '/*', '/**/b', '/a*', '/*/c'))
  .map(([literal, rest]) => literal + rest);
const pathCase = fc.record({
  links: fc.dictionary(
    absolute,
    fc.oneof(
      absolute,
      path.filter((text) => text !== ''),
    ),
    { maxKeys: 3 },
  ),
  workspace: absolute,
  allow: fc.array(fc.oneof(pathPattern, fc.constant('/**')), { minLength: 1, maxLength: 3 }),
  deny: fc.array(pathPattern, { maxLength: 2 }),
  target: path.filter((text) => text !== ''),
});

/** P1: nothing is allowed on a file that the reference denies, or does not allow. */
export function fuzzPaths(options: FuzzOptions): void {
  let allowed = 0;
  fc.assert(
    fc.property(pathCase, ({ links, workspace, allow, deny, target }) => {
      const rules = [
        ...allow.map((pattern) => rule(`allow filesystem.write: ${pattern}`)),
        ...deny.map((pattern) => rule(`deny filesystem.write: ${pattern}`, { source: 'managed' })),
      ];
      fc.pre(
        [...allow, ...deny].every(
          (pattern) => walk(pattern.replace(/\/[^/]*\*.*$/s, ''), { links, workspace }) !== undefined,
        ),
      );
      const engine = engineOf(rules, {
        workspace,
        readLink: (at) => (Object.hasOwn(links, at) ? links[at] : undefined),
      });
      const answer = decideOn(engine, 'filesystem.write', target).type;
      const world = { links, workspace };
      const text = target.startsWith('/') ? target : `${workspace}/${target}`;
      const places = [walk(text, world), walkTidied(text, world)];
      const isDenied = places.some(
        (at) => at !== undefined && deny.some((pattern) => covers(pattern, at, world)),
      );
      const isAllowed = places.every(
        (at) => at !== undefined && allow.some((pattern) => covers(pattern, at, world)),
      );
      if (answer === 'allow') {
        allowed += 1;
        expect({ isDenied, isAllowed }).toEqual({ isDenied: false, isAllowed: true });
      }
      if (isDenied) expect(answer).toBe('deny');
    }),
    options,
  );
  expect(allowed).toBeGreaterThan(options.numRuns * leastAllowed);
}

const host = fc.constantFrom(
  'good.example',
  'evil.example',
  'sub.good.example',
  '127.0.0.1',
  'xn--bcher-kva.example',
);
const spelling = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => `${text}.`,
  (text) => text.replace('.', '%2e'),
  (text) => text.replace('127.0.0.1', '0x7f.1'),
  (text) => text.replace('xn--bcher-kva', 'BÜCHER'),
);
const urlCase = fc.record({
  scheme: fc.constantFrom('https', 'https', 'https', 'HTTPS', 'http', 'ftp'),
  user: fc.constantFrom('', '', '', '', '', 'good.example@', 'u:p@'),
  host,
  spelling,
  port: fc.constantFrom('', '', '', ':443', ':8443', ':'),
  path: fc.array(fc.constantFrom('docs', 'admin', '..', '.', '%2e%2e', '..%2f', 'd%6fcs', ''), {
    maxLength: 4,
  }),
  tail: fc.constantFrom('', '?x=@good.example/', '#@good.example/', '?', '\\'),
  noise: fc.option(
    fc.record({
      at: fc.nat(40),
      text: fc.constantFrom('@', '\\', '/', '?', '#', ':', '\t', '%00', ' ', 'good.example'),
    }),
    { freq: 1 },
  ),
});
const urlRules = [
  'allow network.fetch: https://good.example/docs/*',
  'deny network.fetch: *://evil.example',
  'deny network.fetch: *://127.0.0.1',
];

/** P1: nothing is fetched from a host that any reading of the URL sees elsewhere, nor from another path of it. */
export function fuzzUrls(options: FuzzOptions): void {
  const engine = engineOf(urlRules);
  let allowed = 0;
  fc.assert(
    fc.property(urlCase, ({ scheme, user, host: name, spelling: spell, port, path: parts, tail, noise }) => {
      const plain = `${scheme}://${user}${spell(name)}${port}/docs/${parts.join('/')}${tail}`;
      const text = noise === null ? plain : plain.slice(0, noise.at) + noise.text + plain.slice(noise.at);
      if (decideOn(engine, 'network.fetch', text).type !== 'allow') return;
      allowed += 1;
      // RFC 3986, appendix B; what stands before the last @ is no host.
      const [, , , , authority = '', rawPath = ''] =
        /^(([^:/?#]+):)?(\/\/([^/?#]*))?([^?#]*)/.exec(text) ?? [];
      const hosts = [authority.replace(/^.*@/, '').replace(/:\d*$/, ''), new URL(text).hostname];
      for (const each of hosts) expect(each.toLowerCase().replace(/\.$/, '')).toBe('good.example');
      expect(new URL(text).protocol).toBe('https:');
      expect(new URL(text).port).toBe('');
      expect(walkDecoded(rawPath)).toMatch(/^\/docs(\/|$)/);
    }),
    options,
  );
  expect(allowed).toBeGreaterThan(options.numRuns * leastAllowed);
}

/** The path as the most obliging server reads it: every escape decoded, then every dot resolved. */
function walkDecoded(path: string): string | undefined {
  const decoded = path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return walkTidied(decoded.replaceAll('\\', '/'), { links: {}, workspace: '/' });
}

/** A command line that is built around its commands, so that nobody has to read it to know them. */
interface Line {
  readonly text: string;
  readonly commands: readonly string[];
  /** Files that are written, variables that are set. */
  readonly others: readonly string[];
}

const nothing: readonly string[] = [];
const { line } = fc.letrec<{ line: Line; word: Line; command: Line }>((tie) => {
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

const commandRules = ['git', 'ls', 'sh', 'eval', 'echo'].map((name) => `allow shell.run: ${name} *`);

/** P5: no line is allowed that has another command in it, writes a file or sets a variable; the others mostly are. */
export function fuzzCommands(options: FuzzOptions): void {
  const engine = engineOf([...commandRules, 'deny shell.run: rm *']);
  const counts = { allowed: 0, plain: 0 };
  fc.assert(
    fc.property(line, ({ text, commands, others }) => {
      const answer = decideOn(engine, 'shell.run', text).type;
      const hasRm = commands.includes('rm');
      const isPlain = !hasRm && others.length === 0;
      if (isPlain) counts.plain += 1;
      if (answer === 'allow') {
        counts.allowed += 1;
        expect({ commands: commands.filter((name) => name === 'rm'), others }).toEqual({
          commands: [],
          others: [],
        });
      }
      // A line in which nothing is hidden and nothing unknown can be told for certain.
      if (hasRm) expect(['deny', 'ask']).toContain(answer);
    }),
    options,
  );
  expect(counts.allowed).toBeGreaterThan(options.numRuns * leastAllowed);
  expect(counts.allowed).toBeGreaterThan(counts.plain / 2);
}

/** Words that stand for commands. None is a builtin, and no line can make a program of one. */
const bashWords: readonly string[] = ['git', 'ls', 'rm', 'out', 'x', 'E'];
const tokens = [
  ...[
    'git',
    'git',
    'ls',
    'rm',
    'rm',
    'x',
    'out',
    ' ',
    ' ',
    ' ',
    '\n',
    ';',
    '|',
    '||',
    '&&',
    '&',
    '|&',
    '(',
    ')',
  ],
  ...[
    '{ ',
    '; }',
    '$(',
    '`',
    '"',
    "'",
    '\\',
    '<(',
    '>(',
    '$((',
    '))',
    '((',
    '[[ ',
    ' ]]',
    '${x:-',
    '}',
    '#',
    '$',
  ],
  ...[
    "$'",
    '<<E\n',
    '\nE\n',
    "<<'E'\n",
    '<<<',
    '> out',
    '>> out',
    '2>&1',
    '! ',
    'if ',
    '; then ',
    '; fi',
    'eval ',
  ],
  ...[
    'x=',
    '$x',
    'a[',
    ']',
    '{x,rm}',
    '*',
    '~',
    '@(rm|x)',
    'case x in x) ',
    ' ;; esac',
    'for x in rm; do ',
    '; done',
  ],
];
const soup = fc
  .array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 10 })
  .map((each) => `git ${each.join('')}`)
  // A function of a line's own could call itself for ever.
  .filter((text) => !/\(\s*\)/.test(text));

/** P5: whatever line is allowed, a real bash runs no other command for it and writes no file. */
export async function fuzzAgainstBash({ seed, numRuns }: FuzzOptions): Promise<void> {
  const engine = engineOf(['git', 'ls', 'eval'].map((name) => `allow shell.run: ${name} *`));
  const lines = [
    ...new Set([
      ...fc.sample(soup, { seed, numRuns }),
      ...fc
        .sample(line, { seed, numRuns: numRuns / 10 })
        .map(({ text }) => text)
        .filter((text) => !text.includes('while')),
    ]),
  ];
  const allowed = lines.filter((text) => decideOn(engine, 'shell.run', text).type === 'allow');
  expect(allowed.length).toBeGreaterThan(lines.length * leastAllowed);
  const ran = await runInBash(allowed, bashWords);
  const wrong = allowed.filter((_, index) => {
    const { commands = new Set<string>(), hasWritten = false } = ran[index] ?? {};
    return hasWritten || [...commands].some((name) => name !== 'git' && name !== 'ls');
  });
  expect(wrong).toEqual([]);
  // The stand-ins do note what they are called for.
  expect(ran.filter(({ commands }) => commands.has('git')).length).toBeGreaterThan(allowed.length / 4);
}
