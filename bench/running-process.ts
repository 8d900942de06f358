import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { onCore } from './cores.ts';

/** A process under test, which listens on `port` of 127.0.0.1. Disposing ends it. */
export interface RunningProcess extends AsyncDisposable {
  readonly port: number;
  /** User and system time of all threads so far. Linux only. */
  cpuMs(): Promise<number>;
  /** Resident memory, in MiB. */
  rssMib(): Promise<number>;
}

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** What it is pinned to, where that can be done. */
  readonly core: number;
  /** Where the process can't choose one and say so. */
  readonly port?: number;
  readonly env?: NodeJS.ProcessEnv;
}

const startDeadlineMs = 20_000;

/** Starts a process and waits for the line with its port on standard output; rejects when it ends before that. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const [command, ...args] = onCore(options.core, [options.command, ...options.args]);
  const child = spawn(command ?? '', args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...options.env },
  });
  const exited = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  try {
    const port = options.port ?? (await announcedPort(child.stdout, exited));
    return {
      port,
      cpuMs: () => readCpuMs(child.pid ?? 0),
      rssMib: () => readRssMib(child.pid ?? 0),
      [Symbol.asyncDispose]: end,
    };
  } catch (cause) {
    await end();
    throw cause;
  }
}

async function announcedPort(stdout: NodeJS.ReadableStream, exited: Promise<unknown>): Promise<number> {
  const port = Promise.withResolvers<number>();
  createInterface({ input: stdout }).on('line', (line) => {
    if (/^\d+$/.test(line)) port.resolve(Number(line));
  });
  const timer = setTimeout(
    () => port.reject(new Error(`a contender said no port within ${startDeadlineMs} ms.`)),
    startDeadlineMs,
  );
  const died = exited.then(() => Promise.reject(new Error('a contender ended before it listened.')));
  return Promise.race([port.promise, died]).finally(() => clearTimeout(timer));
}

/** The scheduler's own count in nanoseconds; `/proc/PID/stat` has the same in ticks of 10 ms. */
async function readCpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = threads.map(async (thread) => {
    const [onCpuNs] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'latin1')).split(' ');
    return Number(onCpuNs) / 1e6;
  });
  return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0);
}

async function readRssMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
