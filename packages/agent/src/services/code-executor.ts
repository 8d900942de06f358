import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from './config.ts';
import { runProgram } from './run-program.ts';
import type { ProgramResult } from './run-program.ts';
import { scrubEnvironment } from './scrubbed-environment.ts';

/** What a code executor can run. */
export type CodeLanguage = 'javascript' | 'python' | 'shell';

/** A program to run: its text, or a file of it. */
export type CodeSource = { readonly code: string } | { readonly file: string };

/** What to run and with what. */
export interface CodeRun {
  readonly language: CodeLanguage;
  readonly source: CodeSource;
  readonly arguments?: readonly string[];
  /** Where it runs. Default: an empty folder of its own, deleted afterwards. */
  readonly folder?: string;
  readonly signal?: AbortSignal;
}

/** Runs programs apart from this process, with limits of time and output and without its secrets. */
export interface CodeExecutor {
  /** A program that fails is a result. Rejects with `AgentError` when it could not be started. */
  run(run: CodeRun): Promise<ProgramResult>;
}

/** What a code executor is made of. */
export interface CodeExecutorOptions {
  readonly host: Host;
  /** Default 30,000. */
  readonly timeoutMs?: number;
  /** Of standard output and error together. Default 256 KiB. */
  readonly maxOutputBytes?: number;
  /** Names of environment variables that programs get besides the safe ones. */
  readonly environment?: readonly string[];
  /** The programs that run a language, where they are not the usual ones. */
  readonly interpreters?: Partial<Readonly<Record<CodeLanguage, string>>>;
}

/**
 * An executor that starts one process for each run. It is a boundary for secrets and resources, not for files: what a
 * program may touch is what this user may touch.
 */
export function createCodeExecutor(options: CodeExecutorOptions): CodeExecutor {
  const { host, timeoutMs = 30_000, maxOutputBytes = 256 * 1024, environment = [], interpreters } = options;
  const commands = { javascript: host.nodePath, python: 'python3', shell: '/bin/sh', ...interpreters };
  return {
    async run({ language, source, arguments: given = [], folder, signal }) {
      const own = await mkdtemp(join(tmpdir(), 'quartermaster-code-'));
      try {
        return await runProgram({
          command: commands[language],
          arguments: [...sourceArguments(language, source), ...given],
          input: 'code' in source ? source.code : '',
          folder: folder ?? own,
          environment: { ...scrubEnvironment(host.environment, environment), HOME: own, TMPDIR: own },
          limits: { timeoutMs, maxOutputBytes },
          killGroup: (pid) => host.killGroup(pid),
          ...(signal !== undefined && { signal }),
        });
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
  };
}

/** Text comes by standard input, so that it stands in no file and in no list of processes. */
function sourceArguments(language: CodeLanguage, source: CodeSource): readonly string[] {
  if ('file' in source) return [source.file];
  return language === 'shell' ? ['-s', '--'] : ['-'];
}
