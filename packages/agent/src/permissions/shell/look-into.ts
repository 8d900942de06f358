import { lookIntoBuiltin } from './look-into-builtin.ts';
import { skipOptions } from './options.ts';
import type { OptionList } from './options.ts';
import { formatWords, textWord, unknownWord } from './shell-use.ts';
import type { Inner, ShellWord } from './shell-use.ts';

interface Wrapper {
  readonly options?: OptionList;
  /** How many words stand between the options and the command. */
  readonly operands?: number;
  /** `NAME=value` may stand before the command. */
  readonly takesAssignments?: true;
  /** It puts words of its own after the command's. */
  readonly addsWords?: true;
}

/** Programs that run the command in their arguments. */
const wrappers: Readonly<Record<string, Wrapper>> = {
  env: {
    options: {
      flags: 'i0v',
      values: 'u',
      longFlags: ['ignore-environment', 'null', 'debug'],
      longValues: ['unset'],
    },
    takesAssignments: true,
  },
  sudo: {
    options: { flags: 'nEHkbAPS', values: 'ugpCT', longValues: ['user', 'group'] },
    takesAssignments: true,
  },
  doas: { options: { flags: 'n', values: 'u' } },
  nohup: {},
  setsid: { options: { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] } },
  nice: { options: { values: 'n', longValues: ['adjustment'] } },
  ionice: { options: { flags: 't', values: 'cn' } },
  timeout: {
    options: {
      flags: 'v',
      values: 'ks',
      longFlags: ['foreground', 'preserve-status'],
      longValues: ['kill-after', 'signal'],
    },
    operands: 1,
  },
  stdbuf: { options: { values: 'ioe', longValues: ['input', 'output', 'error'] } },
  time: { options: { flags: 'pv', longFlags: ['portability', 'verbose'] } },
  command: { options: { flags: 'p' } },
  builtin: {},
  exec: { options: { flags: 'cl', values: 'a' } },
  xargs: {
    options: {
      flags: '0rtx',
      values: 'nPLds',
      longFlags: ['null', 'no-run-if-empty', 'verbose', 'exit'],
      longValues: ['max-args', 'max-procs', 'max-lines', 'delimiter', 'max-chars'],
    },
    addsWords: true,
  },
  busybox: {},
  toybox: {},
};

/** Programs that run what can't be seen in their arguments without knowing them better. */
const opaque: ReadonlySet<string> = new Set(
  (
    'parallel ssh su runuser script screen tmux expect at batch watch entr systemd-run xvfb-run ' +
    'dbus-run-session fakeroot proot firejail bwrap chroot unshare nsenter flock strace ltrace gdb ' +
    'setpriv capsh pkexec run0 taskset chrt numactl zsh ksh mksh fish csh tcsh pwsh powershell cmd ' +
    'elvish nu xonsh sg newgrp setarch linux32 linux64 i386 x86_64 prlimit choom uclampset coresched runcon ' +
    'ssh-agent systemd-inhibit systemd-nspawn aa-exec cgexec start-stop-daemon daemonize chpst envdir setuidgid ' +
    'softlimit cpulimit unbuffer rlwrap dtach torify torsocks proxychains proxychains4 faketime eatmydata ' +
    'chronic sem tsp catchsegv valgrind'
  ).split(' '),
);

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'rbash']);
const shellOptions: OptionList = {
  flags: 'abefhlmnpruvxBCEHPT',
  longFlags: ['login', 'norc', 'noprofile', 'posix', 'restricted', 'verbose'],
};

/** What the command runs besides itself; nothing for most. */
export function lookInto(words: readonly ShellWord[]): readonly Inner[] {
  const [first, ...rest] = words;
  if (first?.type !== 'text') return [];
  const name = programName(first.text);
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (name === 'command' && isLookUp(rest[0])) return [];
  if (wrapper !== undefined) return lookIntoWrapper(wrapper, words);
  if (shells.has(name)) return lookIntoShell(words);
  if (name === 'find') return lookIntoFind(words);
  return opaque.has(name) ? [hidden(words)] : lookIntoBuiltin(name, words);
}

/** `/usr/bin/Env.exe` is `env`: what a name means where case counts for nothing is looked into as well. */
function programName(text: string): string {
  return text
    .replace(/^.*[/\\]/, '')
    .replace(/\.exe$/i, '')
    .toLowerCase();
}

/** `command -v` tells where a command is and runs none. */
function isLookUp(word: ShellWord | undefined): boolean {
  return word?.type === 'text' && /^-[vV]$/.test(word.text);
}

/** The command by its program's name alone, wherever the program lies. */
export function withBareName(words: readonly ShellWord[]): readonly ShellWord[] {
  const [name, ...rest] = words;
  return name?.type === 'text' ? [textWord(programName(name.text)), ...rest] : words;
}

function lookIntoWrapper(wrapper: Wrapper, words: readonly ShellWord[]): readonly Inner[] {
  const rest = skipOptions(words.slice(1), wrapper.options ?? {});
  if (rest === undefined) return [hidden(words)];
  const found: Inner[] = [];
  let command = rest.slice(wrapper.operands ?? 0);
  for (; wrapper.takesAssignments; command = command.slice(1)) {
    const name = command[0]?.type === 'text' ? /^([^=]+)=/.exec(command[0].text)?.[1] : undefined;
    if (name === undefined) break;
    found.push({ type: 'environment', name });
  }
  if (rest.slice(0, wrapper.operands ?? 0).some(({ type }) => type === 'unknown')) return [hidden(words)];
  const [first] = command;
  if (first === undefined) return found;
  // More options after variables, and a lone dash, which is an option to some.
  if (first.type === 'text' && first.text.startsWith('-')) return [hidden(words)];
  const added = wrapper.addsWords ? [unknownWord('…')] : [];
  return [...found, { type: 'command', words: [...command, ...added] }];
}

/** `-c` takes a command line; with neither `-c` nor a file, or with a device, the shell reads one from its input. */
function lookIntoShell(words: readonly ShellWord[]): readonly Inner[] {
  const withText = skipOptions(words.slice(1), { ...shellOptions, flags: `${shellOptions.flags}c` });
  const withoutText = skipOptions(words.slice(1), shellOptions);
  const [operand] = withText ?? [];
  if (operand?.type !== 'text' || /^(-$|\+|\/+(dev|proc)\/)/.test(operand.text)) return [hidden(words)];
  if (withoutText !== undefined) return [];
  const isCertain = isBash(words) || !onlyInBash.test(operand.text);
  return isCertain ? [{ type: 'text', text: operand.text }] : [hidden(words)];
}

/** What other shells read otherwise, as `a &> b`, which is `a &` and `> b` to them. */
const onlyInBash = /\[\[|[<>]\(|\(\(|&>|\|&|<<<|\$['"[]|\{[^}]*[,.]|\bfunction\b|=\(/;

function isBash([shell]: readonly ShellWord[]): boolean {
  return shell?.type === 'text' && programName(shell.text).endsWith('bash');
}

const runningActions: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const writingActions: ReadonlySet<string> = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);

function lookIntoFind(words: readonly ShellWord[]): readonly Inner[] {
  const texts = words.map((word) => (word.type === 'text' ? word.text : undefined));
  if (texts.includes(undefined) || texts.some((text) => writingActions.has(text ?? '')))
    return [hidden(words)];
  const found: Inner[] = [];
  for (const [index, text] of texts.entries()) {
    if (text === '-delete')
      found.push({ type: 'command', words: [{ type: 'text', text: 'rm' }, unknownWord('{}')] });
    if (!runningActions.has(text ?? '')) continue;
    const length = texts
      .slice(index + 1)
      .findIndex((word, at, all) => word === ';' || (word === '+' && all[at - 1] === '{}'));
    const command = words.slice(index + 1, index + 1 + length).map(unknownWhereFilled);
    if (length < 1) return [...found, hidden(words)];
    found.push({ type: 'command', words: command });
  }
  return found;
}

function unknownWhereFilled(word: ShellWord): ShellWord {
  return word.type === 'text' && word.text.includes('{}') ? unknownWord(word.text) : word;
}

function hidden(words: readonly ShellWord[]): Inner {
  return { type: 'unknown', written: formatWords(words) };
}
