import { describe, expect, test } from 'vitest';
import { decideOn, engineOf } from './engine.ts';

const rules = [
  ...[
    'git',
    'ls',
    'cat',
    'echo',
    'env',
    'sh',
    'bash',
    'sudo',
    'xargs',
    'find',
    'timeout',
    'command',
    'eval',
  ].map((name) => `allow shell.run: ${name} *`),
  ...[
    '[',
    'test',
    'printf',
    'read',
    'cd',
    'export',
    'trap',
    'true',
    'nice',
    'busybox',
    'alias',
    'hash',
    '.',
    'exec',
  ].map((name) => `allow shell.run: ${name} *`),
  'allow filesystem.write: /work/space/out/**',
  'allow filesystem.read: /work/space/**',
  'deny shell.run: rm *',
];

function answer(line: string, given: readonly string[] = rules): string {
  return decideOn(engineOf(given), 'shell.run', line).type;
}

describe('P5: every command of a line has to be allowed', () => {
  test.each([
    'git status',
    'git log --oneline | cat',
    'git status && ls; echo done',
    'git status || echo no &',
    'echo "a $(git log) b" `ls`',
    'git log > out/log.txt 2>&1',
    'cat < notes.md > /dev/null',
    'cat <<EOF\nplain $HOME\nEOF',
    "cat <<'EOF'\n$(rm x)\nEOF",
    'if true; then git log; else ls; fi',
    '{ git log; ls; } > out/all',
    'git log $ARGS "$@" *.md',
    "echo 'rm x; $(rm y)'",
    'echo \\$\\(rm x\\)',
    'echo a#b # rm x',
    'echo $((1 + 2))',
    '[[ -f x && 1 -lt 2 ]] && ls',
    'git lo\\g',
  ])('P5: %j is allowed', (line) => {
    expect(answer(line)).toBe('allow');
  });

  test.each([
    'git status && rm -rf x',
    'cd x; rm y',
    'git log | rm x',
    'git log |& rm x',
    'git log & rm x',
    'git log\nrm x',
    'git $(rm x)',
    'git `rm x`',
    'git "a $(rm x) b"',
    'git "a `rm x` b"',
    'git ${x:-$(rm x)}',
    'git ${x/a/`rm x`}',
    'cat <(rm x)',
    'cat > >(rm x)',
    'git log a>(rm x)',
    '(rm x)',
    '{ rm x; }',
    'cat <<EOF\n$(rm x)\nEOF',
    'cat <<-EOF\n\t`rm x`\n\tEOF',
    'cat <<< "$(rm x)"',
    'echo $((1 + $(rm x)))',
    'X=$(rm x) git log',
    'if rm x; then ls; fi',
    'for i in $(rm x); do ls; done',
    'while rm x; do ls; done',
    'case $(rm x) in *) ls;; esac',
    'f() { rm x; }; ls',
    'coproc rm x',
    'time rm x',
    '! rm x',
    '[[ -f $(rm x) ]]',
    'a[$(rm x)]=1',
    'r"m" x',
    'r\\m x',
    "$'\\x72m' x",
    'r\\\nm x',
    '/bin/rm x',
    '../bin/rm x',
    'git log > out/x$(rm x)',
  ])('P5: %j is denied for its rm', (line) => {
    expect(answer(line)).toBe('deny');
  });

  test.each([
    'make',
    './git log',
    'git log > /etc/passwd',
    'git log >> ../x',
    'git log &> /etc/x',
    'git log >| /etc/x',
    'git log <> /etc/x',
    'cat < /etc/shadow',
    'cat < $FILE',
    'git log > "$FILE"',
    'git log > *.txt',
    'cd / && echo x > out/passwd',
    'echo x > /dev/tcp/10.0.0.1/80',
    'PATH=/tmp git log',
    'LD_PRELOAD=/tmp/x.so git log',
    'PATH=/tmp',
    'export PATH=/tmp',
    'for PATH in /tmp; do git log; done',
    'echo ${PATH:=/tmp}',
    'exec {PATH}>out/x',
    'read PATH',
    '$CMD x',
    '"$@"',
    '~/bin/git log',
    'git* log',
    '{git,rm} x',
    'echo $((x))',
    'echo $((a[0]))',
    'echo ${x@P}',
    'echo ${!x}',
    'echo ${x:a[1]:2}',
    '[[ a -eq 1 ]]',
    "[[ -v 'a[$(rm x)]' ]]",
    "[ -v 'a[$(rm x)]' ]",
    "printf -v 'a[$(rm x)]' y",
    "read 'a[$(rm x)]'",
  ])('P5: %j is asked about', (line) => {
    expect(answer(line)).toBe('ask');
  });

  test.each([
    'echo "open',
    "echo 'open",
    'echo $(git log',
    'git log;;',
    'if true; then ls',
    'cat <<EOF\nno end',
    'git log )',
    'git log &&',
    'git log 1>(rm x)',
    'echo \u0007',
    'echo \r\nrm x',
    'echo a\0b',
    `echo ${'('.repeat(2_000)}`,
    `echo ${'x'.repeat(70_000)}`,
  ])('P5: what can not be read (%j) is asked about, even where everything is allowed', (line) => {
    expect(answer(line, ['allow *'])).toBe('ask');
  });

  test('P5: an empty command is no target, and denied', () => {
    expect(answer('')).toBe('deny');
  });
});

describe('P5: wrappers are looked into, or ask', () => {
  test.each([
    'env git log',
    'env -i git log',
    'sudo -n git log',
    'timeout -s KILL 5 git log',
    'nice -n 5 git log',
    'command git log',
    'command -v rm',
    'xargs -0 git log',
    'sh -c "git log; ls"',
    "bash -ec 'git log'",
    'bash ./build.sh',
    'eval git log',
    'eval "git log | cat"',
    "trap 'git log' EXIT",
    "find . -name '*.md' -exec cat {} ';'",
    'find . -exec git log {} +',
    'busybox ls',
    'env sudo timeout 5 sh -c "git log"',
  ])('P5: %j runs only what is allowed', (line) => {
    expect(answer(line)).toBe('allow');
  });

  test.each([
    'env rm x',
    'sudo -u root rm x',
    'timeout 5 rm x',
    'command rm -v x',
    'xargs rm',
    'xargs -n 1 rm -f',
    'sh -c "rm x"',
    "sh -c 'ls; rm x'",
    "bash -lc 'rm x'",
    "bash -c -e 'rm x'",
    'eval rm x',
    'eval "ls; rm x"',
    "trap 'rm x' EXIT",
    "trap -- 'rm x' EXIT",
    'eval -- rm x',
    "find . -exec rm {} ';'",
    'find . -delete',
    'busybox rm x',
    "env sudo nice sh -c 'eval rm x'",
    '/usr/bin/env rm x',
  ])('P5: %j is denied for the rm in it', (line) => {
    expect(answer(line)).toBe('deny');
  });

  test.each([
    'env PATH=/tmp git log',
    "env -S 'rm x'",
    'env - rm x',
    'env -C / git log',
    'sudo -i',
    'sudo A=1 -u root rm x',
    "sh -c 'ls &> /dev/null'",
    "sh -c '[[ a > b ]]'",
    'sh',
    'git log | sh',
    'sh <<< "rm x"',
    'bash -s',
    "bash +x -c 'rm x'",
    "bash -o posix -c 'rm x'",
    'bash -c "$CMD"',
    'eval "$CMD"',
    'xargs -I{} rm {}',
    'xargs $CMD',
    'timeout $T rm x',
    '. ./x',
    'find . -exec rm {}',
    'find "$X"',
    'find . -fprint /etc/x',
    'alias git=rm',
    'hash -p /bin/rm git',
  ])('P5: %j hides what it runs, and is asked about', (line) => {
    expect(answer(line)).toBe('ask');
  });

  test('P5: what hides a command is allowed only where every command is, and no rule may deny it', () => {
    expect(answer('source ./x', ['allow shell.run'])).toBe('allow');
    expect(answer('source ./x', ['allow shell.run', 'deny shell.run: rm *'])).toBe('ask');
    expect(answer('source ./x', ['allow shell.run: source *'])).toBe('ask');
  });

  test('P5: command lines that stand too deep in one another are asked about', () => {
    const line = Array.from({ length: 12 }).reduce<string>((inner) => `eval ${JSON.stringify(inner)}`, 'ls');
    expect(answer(line, ['allow *'])).toBe('ask');
  });
});

describe('P5: patterns of commands', () => {
  test.each([
    ['git log', 'git log', true],
    ['git log', 'git log -p', false],
    ['git log *', 'git log', true],
    ['git log *', 'git log -p x', true],
    ['git log *', 'git logs', false],
    ['git log *', 'git', false],
    ['git log *', 'git $X', false],
    ['git log *', 'git log $X', true],
    ['git --*', 'git --version', true],
    ['git --*', 'git --version x', false],
    ['git * --stat', 'git log --stat', true],
    ['git * --stat', 'git a b --stat', false],
    ['git * --stat', 'git $X --stat', false],
    ['*', 'anything at all', true],
  ])('P5: an allow of %j covers %j: %s', (pattern, line, isCovered) => {
    expect(answer(line, [`allow shell.run: ${pattern}`])).toBe(isCovered ? 'allow' : 'ask');
  });

  test.each([
    ['rm -rf *', 'rm -rf /', 'deny'],
    ['rm -rf *', 'rm $FLAGS /', 'ask'],
    ['rm -rf *', '$CMD -rf /', 'ask'],
    ['rm -rf *', 'rm -f /', 'allow'],
    ['rm -rf /', 'rm -rf / $X', 'ask'],
    ['rm *', '/usr/bin/RM.exe x', 'deny'],
    ['Rscript *', '/usr/bin/Rscript x', 'deny'],
    ['/bin/rm *', '/bin/rm x', 'deny'],
    ['/bin/rm *', 'rm x', 'allow'],
  ])('P5: a deny of %j makes %j a case of %s', (pattern, line, expected) => {
    expect(answer(line, ['allow shell.run', `deny shell.run: ${pattern}`])).toBe(expected);
  });
});
