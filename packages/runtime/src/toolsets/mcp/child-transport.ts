import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { serializeMessage } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { createLineReader } from './line-reader.ts';
import { readMessage } from './read-message.ts';

/** A server that is a program of this machine. */
export interface ServerProgram {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  /** All of it; nothing is inherited (case 139). */
  readonly environment: Readonly<Record<string, string>>;
  readonly killGroup: (pid: number) => void;
}

/** How its end is told. */
export interface ProgramEnd {
  /** Absent when a signal ended it, and when it closed its pipe without ending. */
  readonly exitCode?: number;
  /** The end of what it wrote to its standard error. */
  readonly stderr: string;
}

/** Messages to and from a program, one in a line. */
export interface ChildTransport extends Transport {
  /** With `stderr` what the protocol's client knows a child by. */
  readonly pid: number | null;
  readonly stderr: null;
  /** Once it has ended. */
  end(): ProgramEnd | undefined;
}

const maxMessageBytes = 16_000_000;
const maxStderrCharacters = 2_000;

/**
 * One of two signs of an end may be late, in ms: a program that closed its pipe is about to exit, or goes on for ever; one
 * that exited may have left its pipe to another.
 */
const pipeGraceMs = 250;

/** How long a server may take to end by itself after its input was closed, in ms. */
const closeGraceMs = 1_000;

/**
 * A program in a process group of its own. The pipe's end is the program's: what waits for it is told at once, and all
 * that it had started is killed with it. A line that is no message is told to `onNoise` and left out.
 */
export function createChildTransport(program: ServerProgram, onNoise: () => void): ChildTransport {
  let child: ChildProcessWithoutNullStreams | undefined;
  let end: ProgramEnd | undefined;
  let isClosed = false;
  const ended = Promise.withResolvers<void>();
  const tail = createTail(maxStderrCharacters);

  function finish(): void {
    if (end !== undefined || child === undefined) return;
    end = { ...(child.exitCode !== null && { exitCode: child.exitCode }), stderr: tail.text() };
    if (child.pid !== undefined) program.killGroup(child.pid);
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    ended.resolve();
    transport.onclose?.();
  }

  function fail(error: Error): void {
    transport.onerror?.(error);
    finish();
  }

  const lines = createLineReader(maxMessageBytes, (line) => {
    const message = readMessage(line);
    if (message !== undefined) transport.onmessage?.(message);
    else if (line.trim() !== '') onNoise();
  });

  function listen(started: ChildProcessWithoutNullStreams): void {
    started.stdout.on('data', (chunk: Buffer) => {
      try {
        lines.push(chunk);
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
    started.stderr.on('data', (chunk: Buffer) => tail.push(chunk));
    for (const source of [started, started.stdin, started.stdout, started.stderr]) {
      source.on('error', () => undefined); // the end tells it
    }
    const finishSoon = (): void => void setTimeout(finish, pipeGraceMs).unref();
    started.stdout.once('end', finishSoon);
    started.once('exit', finishSoon);
    started.once('close', finish);
  }

  const transport: ChildTransport = {
    get pid() {
      return child?.pid ?? null;
    },
    stderr: null,
    end: () => end,
    async start() {
      if (isClosed) throw new Error('The server was closed before it was started.');
      child = spawnServer(program);
      listen(child);
      await whenSpawned(child);
    },
    send(message) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const written = (error?: Error | null): void => (error ? reject(error) : resolve());
      if (child === undefined || end !== undefined) reject(new Error('The server has ended.'));
      else child.stdin.write(serializeMessage(message), written);
      return promise;
    },
    async close() {
      isClosed = true;
      if (child === undefined || end !== undefined) return;
      child.stdin.end();
      const timer = setTimeout(finish, closeGraceMs);
      await ended.promise;
      clearTimeout(timer);
    },
  };
  return transport;
}

function spawnServer({ command, arguments: args, folder, environment }: ServerProgram) {
  return spawn(command, args, {
    cwd: folder,
    env: environment,
    detached: true, // leads a process group, so that what it starts can be killed with it
    stdio: 'pipe',
  });
}

function whenSpawned(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

interface Tail {
  push(chunk: Buffer): void;
  text(): string;
}

/** The last `maxCharacters` of a stream. */
function createTail(maxCharacters: number): Tail {
  const decoder = new TextDecoder();
  let kept = '';
  return {
    push(chunk) {
      kept = (kept + decoder.decode(chunk, { stream: true })).slice(-maxCharacters);
    },
    text: () => kept.trim(),
  };
}
