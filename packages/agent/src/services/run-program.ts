import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { AgentError } from '../agent-error.ts';

/** How a program ended. */
export interface ProgramResult {
  /** `stopped-*`: it and all that it had started were killed. */
  readonly end: ProgramEnd;
  /** Absent when a signal ended it. */
  readonly exitCode?: number;
  /** Up to the limit, whole characters. */
  readonly stdout: string;
  readonly stderr: string;
}

type ProgramEnd = 'exited' | 'stopped-for-time' | 'stopped-for-output' | 'stopped-by-caller';

/** One program and its limits. */
export interface Program {
  readonly command: string;
  readonly arguments: readonly string[];
  /** Its standard input. */
  readonly input: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: { readonly timeoutMs: number; readonly maxOutputBytes: number };
  readonly killGroup: (pid: number) => void;
  readonly signal?: AbortSignal;
}

/** A process that left the group may hold the pipes open; they are closed so long after the program's end, in ms. */
const pipeGraceMs = 250;

/** Runs a program in a process group of its own to its end or its limits. Rejects with `AgentError` if it can't start. */
export async function runProgram(program: Program): Promise<ProgramResult> {
  const { limits, signal } = program;
  if (signal?.aborted === true) return { end: 'stopped-by-caller', stdout: '', stderr: '' };
  const child = spawn(program.command, program.arguments, {
    cwd: program.folder,
    env: program.environment,
    detached: true, // leads a process group, so that what it starts can be killed with it
    stdio: 'pipe',
  });
  let end: ProgramEnd = 'exited';
  const killGroup = (): void => {
    if (child.pid !== undefined) program.killGroup(child.pid);
  };
  const stop = (reason: ProgramEnd): void => {
    if (end !== 'exited' || child.exitCode !== null) return;
    end = reason;
    killGroup();
  };
  const output = collectOutput(child, limits.maxOutputBytes, () => stop('stopped-for-output'));
  const timer = setTimeout(() => stop('stopped-for-time'), limits.timeoutMs);
  const abort = (): void => stop('stopped-by-caller');
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const exitCode = await whenEnded(child, program, killGroup);
    return { end, ...(exitCode !== null && { exitCode }), ...output() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The exit code, once the program has ended and its output is complete. What it left running is killed. */
function whenEnded(
  child: ChildProcessWithoutNullStreams,
  { command, input }: Program,
  killGroup: () => void,
): Promise<number | null> {
  const letGo = (): void => {
    child.stdout.destroy();
    child.stderr.destroy();
  };
  child.stdin.on('error', () => undefined); // a program need not read its input
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    child.once('error', (cause) => {
      reject(
        new AgentError('SERVICE_FAILED', `Expected to start ${command}; it could not be started.`, { cause }),
      );
    });
    child.once('exit', () => {
      killGroup();
      grace = setTimeout(() => setImmediate(letGo), pipeGraceMs); // what already came is read in between
    });
    child.once('close', (exitCode) => {
      clearTimeout(grace);
      resolve(exitCode);
    });
  });
}

/** Collects both streams up to `maxBytes` together; what came is asked for at the end. */
function collectOutput(
  { stdout, stderr }: ChildProcessWithoutNullStreams,
  maxBytes: number,
  onFull: () => void,
): () => Pick<ProgramResult, 'stdout' | 'stderr'> {
  let room = maxBytes;
  const collect = (stream: NodeJS.ReadableStream): (() => string) => {
    const decoder = new TextDecoder();
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      const kept = chunk.subarray(0, room);
      room -= kept.length;
      text += decoder.decode(kept, { stream: true });
      if (kept.length < chunk.length) onFull();
    });
    return () => text;
  };
  const [readOut, readError] = [collect(stdout), collect(stderr)];
  return () => ({ stdout: readOut(), stderr: readError() });
}
