import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { runCommandLine } from './command-line.ts';
import { CliError } from './errors.ts';
import type { Input, Output, Surroundings } from './surroundings.ts';

/** Runs `qm` with this process's arguments; the exit code is left to the process. */
export async function main(): Promise<void> {
  // A reader that went away, as in `qm config | head -1`, is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.exitCode = await runCommandLine(process.argv.slice(2), surroundingsOfProcess());
}

function surroundingsOfProcess(): Surroundings {
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    pid: process.pid,
    platform: process.platform,
    input: inputOf(process.stdin),
    out: outputOf(process.stdout),
    err: outputOf(process.stderr),
    clock: { now: () => Date.now() },
    ids: () => randomUUID(),
    readFile,
    onStop(listener) {
      process.on('SIGTERM', listener).on('SIGINT', listener);
      return () => process.off('SIGTERM', listener).off('SIGINT', listener);
    },
    exitNow: (exitCode) => process.exit(exitCode),
  };
}

function outputOf(stream: NodeJS.WriteStream): Output {
  return { isTerminal: stream.isTTY, write: (text) => stream.write(text) };
}

function inputOf(stream: NodeJS.ReadStream): Input {
  return {
    isTerminal: stream.isTTY,
    readAll: () => text(stream),
    async ask(question, signal) {
      const lines = createInterface({ input: stream, output: process.stderr });
      // While it asks, the terminal makes no signal of Ctrl-C.
      lines.on('SIGINT', () => process.emit('SIGINT'));
      try {
        return await lines.question(question, { signal });
      } finally {
        lines.close();
      }
    },
  };
}

function readFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('CLI_FILE_UNREADABLE', `${file}: expected a file that can be read; ${reason}.`, {
      cause: error,
    });
  }
}
