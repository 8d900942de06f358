import { spawn } from 'node:child_process';

export interface ProgramOptions {
  readonly folder: string;
  /** The whole environment: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv;
  /** What the program reads from its standard input; by default that is closed. */
  readonly input?: string;
  /** After this the program and all that it started are killed. */
  readonly deadlineMs: number;
}

export interface ProgramOutcome {
  /** `undefined` when the program could not be started or was killed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** What the program wrote, or why it could not be started. */
  readonly stderr: string;
  readonly durationMs: number;
  readonly outOfTime: boolean;
}

/** Runs a program to its end. Never rejects: how it ended is in the outcome. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramOutcome> {
  const startedMs = performance.now();
  const child = spawn(file, args, {
    cwd: options.folder,
    env: options.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, so that the deadline also ends what the program started.
    detached: true,
  });
  // A program may end without reading it.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);

  const { promise, resolve } = Promise.withResolvers<ProgramOutcome>();
  let outOfTime = false;
  const deadline = setTimeout(() => {
    outOfTime = true;
    if (child.pid !== undefined) killGroup(child.pid);
  }, options.deadlineMs);
  const end = (exitCode: number | undefined, reason: string): void => {
    clearTimeout(deadline);
    resolve({
      exitCode,
      stdout: stdout(),
      stderr: stderr() + reason,
      durationMs: performance.now() - startedMs,
      outOfTime,
    });
  };
  child.once('error', (cause) => end(undefined, cause.message));
  child.once('close', (code) => end(code ?? undefined, ''));
  return promise;
}

/** Kills a program and all that it started; one that has ended already is fine. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')) throw cause;
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
