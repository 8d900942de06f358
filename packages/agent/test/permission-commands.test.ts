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

  test.each([
    'git status && rm -rf x',
    'cd x; rm y',
    'git log | rm',
    'git log\nrm x',
    'git log & rm x',
    'git log $(rm x)',
    'git log `rm x`',
    'git diff <(rm x)',
    '(git log; rm x)',
    'git log <<E\n$(rm x)\nE',
  ])('case 93: one allowed word approves no line: %j', (line) => {
    expect(answer(line, ['allow shell.run: git *', 'deny shell.run: rm *'])).toBe('deny');
    expect(answer(line.replaceAll('rm', 'sh'), ['allow shell.run: git *', 'deny shell.run: rm *'])).toBe(
      'ask',
    );
  });

  test('P5: an empty command is no target, and denied', () => {
    expect(answer('')).toBe('deny');
  });

  test.each(['# rm x', '[[ -n $x ]]', ' '])(
    'P2: of %j there is nothing to judge, and it is denied',
    (line) => {
      expect(decideOn(engineOf(['allow *']), 'shell.run', line)).toMatchObject({
        type: 'deny',
        reason: 'probe may not run: nothing of it was judged.',
      });
    },
  );

  test('P5: what a line writes to and nobody knows may be what a rule denies', () => {
    const given = ['allow shell.run', 'allow filesystem.write', 'deny filesystem.write: /etc/**'];
    expect(answer('git log > $A', given)).toBe('ask');
    expect(answer('git log > /tmp/a', given)).toBe('allow');
    expect(answer('git log > /etc/a', given)).toBe('deny');
  });
});

/** Texts between dots. */
function listed(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' · '));
}

/** All that a line does, in order: `run git log`, `set PATH`, `write /work/space/out`; or why nobody can tell. */
function usesOf(line: string): readonly string[] {
  const verbs: Readonly<Record<string, string>> = {
    'shell.run': 'run',
    'shell.environment': 'set',
    'filesystem.read': 'read',
    'filesystem.write': 'write',
  };
  const { findings } = decideOn(engineOf([]), 'shell.run', line);
  return findings.map(({ capability, target, note }) =>
    note === 'no rule covers it' ? `${verbs[capability]} ${target}` : `unclear: ${note}`,
  );
}

describe('P5: what a line does', () => {
  test.each<[string, readonly string[]]>([
    ['git log', ['run git log']],
    ['git "a b" \'c\' $D', ["run git 'a b' c $D"]],
    [String.raw`git "it's" ''`, [String.raw`run git 'it'\''s' ''`]],
    ["git $'a b' $'\\t'", ["run git 'a b' $'\\t'"]],
    ['git ~/x a=~ b:~ "~"', ['run git ~/x a=~ b:~ ~']],
    ['A=1 B+=2 git log', ['run git log', 'set A', 'set B']],
    ['A=(1 2)', ['set A']],
    ['A[1]=2', ['set A']],
    ['A[x]=2', ['set A', 'run A[x]=2']],
    ['A=([1]=a [2]+=b [c]d e)', ['set A']],
    ["A=([0]=a ['b[0]']=c)", ['set A', "run ['b[0]']=c"]],
    ['A=([B]+=c)', ['set A', 'run [B]+=c']],
    ['A=([$B]=c)', ['set A', 'run [$B]=c']],
    ["git $'\\x72' $'\\x{72}'", ["run git r $'\\x{72}'"]],
    ['for a in b; do git log; done', ['set a', 'run git log']],
    ['select a in b; do git log; done', ['set a', 'run git log']],
    ['coproc git log', ['set COPROC', 'run git log']],
    ['coproc NAME { git log; }', ['set NAME', 'run git log']],
    ['git ${A:=1} ${B=2} ${C:-3}', ['run git ${A:=1} ${B=2} ${C:-3}', 'set A', 'set B']],
    ['git ${A:1:2} ${A[1]} ${A[@]} ${A[*]}', ['run git ${A:1:2} ${A[1]} ${A[@]} ${A[*]}']],
    ['git ${A:1:x}', ['run git ${A:1:x}', 'run ${A:1:x}']],
    ['git ${A:1}', ['run git ${A:1}']],
    ['git "a$B"', ['run git "a$B"']],
    ['git "${A:-b}"', ['run git "${A:-b}"']],
    ['export A=x', ['run export A=x', 'set A', 'set A']],
    ['git "a"\'b\'', ['run git ab']],
    ['export A+=x', ['run export A+=x', 'set A', 'set A']],
    ['export A=(1 2)', ['run export A=(1 2)', 'run export A=(1 2)', 'set A']],
    ['export A[1]=2', ['run export A[1]=2', 'run export A[1]=2', 'set A']],
    ['((a1))', ['run ((a1))']],
    ['(( 12 ))', []],
    ['[[ a1 -eq 12 ]]', ['run [[ a1 -eq 12 ]]']],
    ['[[ 1a -eq 12 ]]', ['run [[ 1a -eq 12 ]]']],
    ['[[ " 12 " -eq 34 ]]', []],
    ['[[ -v ABC1 ]]', []],
    ['[[ -v x-A ]]', ['run [[ -v x-A ]]']],
    ['# nothing', []],
    ['git ${A[x]}', ['run git ${A[x]}', 'run ${A[x]}']],
    ['git ${A@Q}', ['run git ${A@Q}', 'run ${A@Q}']],
    ['git ${!A}', ['run git ${!A}', 'run ${!A}']],
    ['git $((1 + 22))', ['run git $((1 + 22))']],
    ['((a))', ['run ((a))']],
    ['[[ -v A ]]', []],
    ['[[ -v A[1] ]]', ['run [[ -v A[1] ]]']],
    ['[[ -R $A ]]', ['run [[ -R $A ]]']],
    ['[[ -n $A ]]', []],
    ...['-eq', '-ne', '-lt', '-le', '-gt', '-ge'].flatMap((operator): [string, string[]][] => [
      [`[[ 1 ${operator} -2 ]]`, []],
      [`[[ a ${operator} 2 ]]`, [`run [[ a ${operator} 2 ]]`]],
      [`[[ 1 ${operator} $b ]]`, [`run [[ 1 ${operator} $b ]]`]],
    ]),
    ['[[ a == b && c < d ]]', []],
  ])('P5: %j: %j', (line, uses) => {
    expect(usesOf(line)).toEqual(uses);
  });

  test.each<[string, readonly string[]]>([
    ['> a', ['write /work/space/a']],
    ['>> a', ['write /work/space/a']],
    ['>| a', ['write /work/space/a']],
    ['&> a', ['write /work/space/a']],
    ['&>> a', ['write /work/space/a']],
    ['>& a', ['write /work/space/a']],
    ['< a', ['read /work/space/a']],
    ['<& a', ['read /work/space/a']],
    ['<> a', ['read /work/space/a', 'write /work/space/a']],
    ['2> /a', ['write /a']],
    ['2>&1', []],
    ['2>&-', []],
    ['<&3-', []],
    ['>&1x', ['write /work/space/1x']],
    ['>&x1', ['write /work/space/x1']],
    ['2>&12', []],
    ['<&12-', []],
    ['> 1', ['write /work/space/1']],
    ['> /dev/null 2> /dev/stderr > /dev/stdout', []],
    ['> /dev/sda', ['write /dev/sda']],
    ['> $A', ['write a file that is not known yet']],
    ['> ~/a', ['write /home/ann/a']],
    ['> ~', ['write /home/ann']],
    ['> "~/a"', ['write /work/space/~/a']],
    ['> ~"/a"', ['write a file that is not known yet']],
    ['> ~/$A', ['write a file that is not known yet']],
    ['> ~bob', ['write a file that is not known yet']],
    ['{A}> a', ['set A', 'write /work/space/a']],
    ...['>& $A', '>& "$A"', ">& 'a b'", ">& '$(rm x)'", '<& a*', '>& ~/a', '>& "~/a"'].map(
      (text): [string, string[]] => [
        text,
        ['unclear: bash expands what it redirects to a second time, quoted or not'],
      ],
    ),
    ["> '$(rm x)'", ['write /work/space/$(rm x)']],
    [">& './a+b,c-1'", ['write /work/space/a+b,c-1']],
    ['> /dev/tcp/h/80', ['unclear: a redirection opens a network connection']],
    ['> //dev//udp/h/80', ['unclear: a redirection opens a network connection']],
    ['> x/dev/tcp/h', ['write /work/space/x/dev/tcp/h']],
  ])('P5: git log %s: %j beside the command', (redirect, uses) => {
    const found = usesOf(`git log ${redirect}`);
    expect(found.filter((use) => use !== 'run git log')).toEqual(uses);
  });

  test.each<[string, string]>([
    ['cd x; git log > a', 'write a file that is not known yet'],
    ['pushd x; git log > a', 'write a file that is not known yet'],
    ['popd; git log > a', 'write a file that is not known yet'],
    ['$A x; git log > a', 'write a file that is not known yet'],
    ['cd x; git log > /a', 'write /a'],
    ['cd x; git log > ~/a', 'write a file that is not known yet'],
    ['HOME=/x; git log > ~/a', 'write a file that is not known yet'],
    ['HOME=/x; git log > a', 'write /work/space/a'],
    ['cd x && tools/git log $A', 'run tools/git log $A in another folder'],
  ])('P5: a line that moves or sets variables first: %s: %s', (line, use) => {
    expect(usesOf(line)).toContain(use);
  });

  test.each<[string, boolean]>([
    ['cd /tmp && ./build.sh', false],
    ['pushd /tmp; bin/build', false],
    ['$A /tmp; ./build.sh', false],
    ['cd /tmp && make', true],
    ['cd /tmp && /usr/bin/make', true],
    ['./build.sh', true],
  ])(
    'P5: a program below the folder is another one in another folder: %s is allowed: %s',
    (line, isAllowed) => {
      const known = ['cd', 'pushd', 'make', '/usr/bin/make', './build.sh', 'bin/build', '*A*'];
      const decided = answer(
        line,
        known.map((name) => `allow shell.run: ${name} *`),
      );
      expect(decided).toBe(isAllowed ? 'allow' : 'ask');
    },
  );

  test.each(
    listed('BASHPID · BASH_ENV · ENV · HISTCMD · LINENO · OPTIND · PS4 · RANDOM · SECONDS · SRANDOM'),
  )('P5: what %s is set to runs', (name) => {
    for (const line of [`${name}=1`, `for ${name} in 1; do ls; done`, `export ${name}`, `env ${name}=1 ls`]) {
      expect(usesOf(line)).toEqual(expect.arrayContaining([`set ${name}`, `run ${name}`]));
    }
  });

  const incomplete = 'it is no complete command line of bash';

  test.each([
    ['echo "open', incomplete],
    ['if true', incomplete],
    ['echo \u0007', 'it holds a control character'],
    ['echo \ud800', 'it holds a control character'],
    ['echo \r', 'it holds a control character'],
    [`echo ${'x'.repeat(65_532)}`, 'it has more than 65536 characters'],
    ['cat <<EOF\nx', 'a part of it is not complete, or can be read in two ways'],
    ['git log 1>(rm x)', 'an operator stands in the middle of a word'],
    [`echo $"\${x:-'a'}"`, 'a part of it is not complete, or can be read in two ways'],
    [`cat <<E\n\${x:-'a'}\nE`, 'a part of it is not complete, or can be read in two ways'],
    [`echo "\${x:-'a'}"`, 'a part of it is not complete, or can be read in two ways'],
    ['git log >', incomplete],
  ])('P5: of %j nobody can tell, and the reason is told', (line, reason) => {
    expect(usesOf(line)).toEqual([`unclear: ${reason}`]);
  });

  test('P5: a line may be 65,536 characters long, and hold tabs and line ends', () => {
    expect(usesOf(`echo ${'x'.repeat(65_531)}`)).toEqual([expect.stringMatching(/^run echo x+$/)]);
    expect(usesOf('git\tlog\nls')).toEqual(['run git log', 'run ls']);
  });

  test('P5: lines stand in one another eight deep, and no deeper', () => {
    const nested = (depth: number): readonly string[] =>
      usesOf(Array.from({ length: depth }).reduce<string>((inner) => `eval ${JSON.stringify(inner)}`, 'ls'));
    expect(nested(8).at(-1)).toBe('run ls');
    expect(nested(9)).toEqual(['unclear: commands stand too deep in one another']);
  });

  test.each([
    ['wrappers', `${'env '.repeat(16_000)}ls`],
    ['substitutions', `${'$('.repeat(21_000)}ls${')'.repeat(21_000)}`],
    ['arithmetic', `echo $((${'1+'.repeat(30_000)}1))`],
    ['coprocesses', `${'coproc '.repeat(9_000)}ls`],
    ['backquotes in brackets', '"${x:-'.repeat(5_000)],
  ])('P5: %s in one another fill no stack, and are asked about', (_, line) => {
    expect(answer(line, ['allow *'])).toBe('ask');
  });

  test('P5: nine wrappers in one another are asked about, eight are looked into', () => {
    expect(answer(`${'env '.repeat(8)}ls`)).toBe('allow');
    expect(answer(`${'env '.repeat(9)}ls`)).toBe('ask');
  });

  test('P5: a line is read in no time, whatever it is full of', () => {
    const startMs = performance.now();
    expect(answer(`find ${'-exec '.repeat(10_000)}`, ['allow shell.run: find *'])).toBe('ask');
    // It took 17 s; the rest is for a busy machine.
    expect(performance.now() - startMs).toBeLessThan(4_000);
  });
});

describe('P5: what a wrapper runs', () => {
  test.each(
    listed(
      'env · env -i · env -0 · env -v · env -u A · env -uA · env -iu A · env -- · env --null',
      'env --ignore-environment · env --debug · env --unset A · env --unset=A · ENV · /usr/bin/Env.exe',
      'sudo -nEHkbAPS · sudo -u a · sudo -g a · sudo -p a · sudo -C 3 · sudo -T 5 · sudo --user a',
      'sudo --group=a · doas -n · doas -u a · nohup · setsid -cfw · setsid --ctty · setsid --fork',
      'setsid --wait · nice · nice -n 5 · nice --adjustment 5 · ionice -t -c 2 -n 7 · timeout 5',
      'timeout -v 5 · timeout -k 1 5 · timeout -s KILL 5 · timeout --foreground 5',
      'timeout --preserve-status 5 · timeout --kill-after 1 5 · timeout --signal=KILL 5 · stdbuf -i0',
      'stdbuf -o L · stdbuf -eL · stdbuf --input 0 · stdbuf --output=L · stdbuf --error 0',
      '/usr/bin/time -pv · /usr/bin/time --portability · /usr/bin/time --verbose · command · command -p',
      'builtin · exec · exec -cl · exec -a x · busybox · toybox · eval · eval --',
    ),
  )('P5: %s is looked into', (wrapper) => {
    const found = usesOf(`${wrapper} git log`);
    expect(found).toEqual([`run ${wrapper} git log`, 'run git log']);
  });

  test.each(
    listed(
      'xargs · xargs -0 · xargs -rtx · xargs -n 1 · xargs -P2 · xargs -L 1 · xargs -d , · xargs -s 9',
      'xargs --null · xargs --no-run-if-empty · xargs --verbose · xargs --exit · xargs --max-args 1',
      'xargs --max-procs=2 · xargs --max-lines 1 · xargs --delimiter , · xargs --max-chars 9',
    ),
  )('P5: %s puts more words behind the command', (wrapper) => {
    expect(usesOf(`${wrapper} git log`)).toEqual([`run ${wrapper} git log`, 'run git log …']);
  });

  test.each([
    ...listed(
      'timeout -- $T git · command -vp ls · command $A · set -e x · declare -fz A · declare +-f A',
      'read a b[0] · read a-b · read a- · env -S x · env --chdir=/ · env --null=x · env - · env $A',
      'env -u $A · env A=1 -i · env -iS · sudo -i · sudo --login · timeout $T · timeout --foo 5',
      'xargs -I x · nice -5 · exec -x · eval $A · trap $A · set -- a · set -v · test -v a · [ -R a',
      'printf -v a · printf -va · printf $A · read a[0] · declare -i a · declare -n a · unset -v a[1]',
      'find $A · find -fprint x · find -fprint0 x · find -fprintf x · find -fls x · find -exec',
      'find -exec ls · sh · bash -s · bash -i · bash --rcfile x · bash - · bash +x a · bash -o posix',
      'bash -c · sh -c $A · bash -c "$A"',
    ),
    ...'. source alias bind compgen complete compopt enable fc hash history let mapfile'.split(' '),
    ...'readarray shopt unalias wait parallel ssh su runuser script screen tmux expect at batch'.split(' '),
    ...'watch entr systemd-run xvfb-run dbus-run-session fakeroot proot firejail bwrap chroot'.split(' '),
    ...'unshare nsenter flock strace ltrace gdb setpriv capsh pkexec run0 taskset chrt numactl'.split(' '),
    ...'zsh ksh mksh fish csh tcsh pwsh powershell cmd elvish nu xonsh sg newgrp setarch linux32'.split(' '),
    ...'linux64 i386 x86_64 prlimit choom uclampset coresched runcon ssh-agent systemd-inhibit'.split(' '),
    ...'systemd-nspawn aa-exec cgexec start-stop-daemon daemonize chpst envdir setuidgid softlimit'.split(
      ' ',
    ),
    ...'cpulimit unbuffer rlwrap dtach torify torsocks proxychains proxychains4 faketime eatmydata'.split(
      ' ',
    ),
    ...'chronic sem tsp catchsegv valgrind'.split(' '),
  ])('P5: what %s runs or sets can not be seen', (line) => {
    const [outer, inner, ...more] = usesOf(line).filter((use) => use !== 'set A');
    expect(outer).toMatch(/^run /);
    expect(inner).toBe(outer);
    expect(more).toEqual([]);
  });

  test.each<[string, readonly string[]]>([
    ['env A=1 B= git log', ['set A', 'set B', 'run git log']],
    ['env A=1', ['set A']],
    ['env NAME=1 git log', ['set NAME', 'run git log']],
    ['env git $A', ['run git $A']],
    ['env -u A git $A', ['run git $A']],
    ['env -- $A x', ['run $A x']],
    ['env.exe.x git log', []],
    ['command x-v ls', ['run x-v ls']],
    ['export "NAME=a b"', ['set NAME']],
    ['export "NAME=a\nb"', ['set NAME']],
    ['read NAME OTHER', ['set NAME', 'set OTHER']],
    ["find . -exec git {} x ';'", ['run git {} x']],
    ["rbash -c 'ls |& cat'", ['run ls', 'run cat']],
    ["bash -c 'ls -'", ['run ls -']],
    ["bash -c 'ls a+b'", ['run ls a+b']],
    ['env =1 git', ['run =1 git']],
    ['sudo A=1 git log', ['set A', 'run git log']],
    ['nice A=1 git log', ['run A=1 git log']],
    ['env', []],
    ['command -v rm', []],
    ['command -V rm', []],
    ['command -p -v rm', ['hidden']],
    ...['declare', 'export', 'getopts', 'local', 'read', 'readonly', 'typeset', 'unset'].map(
      (name): [string, string[]] => [`${name} A`, ['set A']],
    ),
    ['declare -fgprsvx A B', ['set A', 'set B']],
    // As a word of the command and as an assignment.
    ['declare A=1 B+=2', ['set A', 'set B', 'set A', 'set B']],
    ['export A=$B', ['hidden', 'set A']],
    ['export -- A', ['set A']],
    ['export +x A', ['hidden']],
    ["export A='(b)'", ['hidden', 'set A']],
    ["declare 'A=(b)'", ['hidden']],
    ["declare 'A+=(b)'", ['hidden']],
    ["declare 'A=b(c)'", ['set A']],
    ['jobs', []],
    ['jobs -l %x', []],
    ['jobs -x ls', ['hidden']],
    ['jobs -lx ls', ['hidden']],
    ['printf x -v', []],
    ['printf', ['hidden']],
    ['set -eux +x -euo pipefail', []],
    ['set pipefail', []],
    ['set x-e', ['hidden']],
    ['test -f x', []],
    ['[ -n x ]', []],
    ['trap', []],
    ["trap '' EXIT", []],
    ['trap - EXIT', []],
    ['trap -p', []],
    ['trap -- "git log" EXIT', ['run git log']],
    ['echo rm', []],
    ['toString x', []],
    ["find . -exec git log ';'", ['run git log']],
    ["find . -execdir git log ';' -ok ls ';'", ['run git log', 'run ls']],
    ["find . -okdir git {} ';'", ['run git {}']],
    ['find . -exec git {} + -delete', ['run git {}', 'run rm {}']],
    ["find . -exec git + x ';'", ['run git + x']],
    ["find . -exec ';'", ['hidden']],
    ...['sh', 'bash', 'dash', 'ash', 'rbash'].map((shell): [string, string[]] => [
      `${shell} -c 'git log'`,
      ['run git log'],
    ]),
    ["bash -abefhlmnpruvxBCEHPTc 'git log'", ['run git log']],
    ["bash --login --norc --noprofile --posix --restricted --verbose -c 'git log'", ['run git log']],
    ['bash x.sh a', []],
    ['bash -x x.sh', []],
    ['bash -- x.sh', []],
    ["sh -c 'git log' a b", ['run git log']],
    ['sh /dev/stdin', ['hidden']],
    ['bash //dev/fd/3', ['hidden']],
    ['bash /proc/self/fd/0', ['hidden']],
    ['bash x/dev/stdin', []],
  ])('P5: %j: %j inside', (line, inner) => {
    const [outer = '', ...found] = usesOf(line);
    expect(found).toEqual(inner.map((use) => (use === 'hidden' ? outer : use)));
  });

  test.each([
    '[[ a ]]',
    'cat <(ls)',
    'cat >(ls)',
    'ls >(ls)',
    '((1))',
    'ls &> a',
    'ls |& cat',
    'cat <<< a',
    "ls $'a'",
    'ls $"a"',
    'ls {a,b}',
    'ls {a..b}',
    'function f { ls; }',
    'A=(b)',
    'ls $[1]',
  ])('P5: only bash reads %j so, and in another shell nobody can tell', (text) => {
    const quoted = text.replaceAll("'", String.raw`'\''`);
    const [outer, ...inner] = usesOf(`sh -c '${quoted}'`);
    expect(inner).toEqual([outer]);
    const [inBash, ...read] = usesOf(`/bin/bash -c '${quoted}'`);
    expect(read).not.toContain(inBash);
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
    ['  git   log  ', 'git log', true],
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
    ['git a b', 'git a b', true],
    ['git a b', 'git a', false],
    ['git a b', 'git a b c', false],
    ['git a*', 'git xa', false],
    ['*', 'anything at all', true],
  ])('P5: an allow of %j covers %j: %s', (pattern, line, isCovered) => {
    expect(answer(line, [`allow shell.run: ${pattern}`])).toBe(isCovered ? 'allow' : 'ask');
  });

  test.each([
    ['rm -rf *', 'rm -rf /', 'deny'],
    ['rm -rf *', 'rm $FLAGS /', 'ask'],
    ['rm -rf *', '$CMD -rf /', 'ask'],
    ['rm -rf *', 'rm -f /', 'allow'],
    ['rm -rf *', 'ls -rf /', 'allow'],
    ['rm a b c', 'rm $X c', 'ask'],
    ['rm a b c', 'rm $X $Y', 'ask'],
    ['rm a b c', 'rm a $X d', 'allow'],
    ['rm a b c', 'rm $X d', 'allow'],
    ['RM *', 'rm x', 'deny'],
    ['rm x', 'rm X', 'allow'],
    ['rm -rf /', 'rm -rf / $X', 'ask'],
    ['rm *', '/usr/bin/RM.exe x', 'deny'],
    ['Rscript *', '/usr/bin/Rscript x', 'deny'],
    ['/bin/rm *', '/bin/rm x', 'deny'],
    ['/bin/rm *', 'rm x', 'allow'],
  ])('P5: a deny of %j makes %j a case of %s', (pattern, line, expected) => {
    expect(answer(line, ['allow shell.run', `deny shell.run: ${pattern}`])).toBe(expected);
  });
});
