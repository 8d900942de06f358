import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Another process that talks in lines; it is killed at the end of the scope. */
export interface Child extends AsyncDisposable {
  /** The next line of its output, or `undefined` after the last. */
  readLine(): Promise<string | undefined>;
  say(line: string): void;
  kill(): void;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly end: Promise<number | string>;
}

/** Runs `fixtures/<name>.ts`. With `shell`, that text is run in bash first, e.g. `umask 0`. */
export function startChild(name: string, args: readonly string[], options: { shell?: string } = {}): Child {
  const script = fileURLToPath(new URL(`./fixtures/${name}.ts`, import.meta.url));
  const node = [process.execPath, '--conditions=quartermaster-source', script, ...args];
  const [program = '', ...rest] = options.shell
    ? ['bash', '-c', `${options.shell}; exec "$@"`, 'bash', ...node]
    : node;
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const end = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    readLine: async () => (await lines.next()).value,
    say: (line) => child.stdin.write(`${line}\n`),
    kill: () => child.kill('SIGKILL'),
    end,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await end;
    },
  };
}
