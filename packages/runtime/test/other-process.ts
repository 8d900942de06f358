import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Stage } from './harness.ts';

/** A process of its own that plays turns on the stage's store. */
export interface OtherProcess extends AsyncDisposable {
  readonly pid: number;
  /** Its tools add a line for each run: session and call. */
  readonly journal: string;
  /** Tells it to play a turn. */
  order(turn: { readonly session: string; readonly turn: string; readonly text: string }): void;
  /** `shown <type>` for each event, `ended <status or error>` for each turn; `undefined` when it is gone. */
  readLine(): Promise<string | undefined>;
  /** How the next turn ends. */
  readEnd(): Promise<string | undefined>;
  /** No handler runs, nothing is flushed. */
  kill(): Promise<void>;
}

export async function startOtherProcess({
  folder,
  url,
}: Pick<Stage, 'folder' | 'url'>): Promise<OtherProcess> {
  const script = fileURLToPath(new URL('./fixtures/run-turns.ts', import.meta.url));
  const journal = path.join(folder, 'journal');
  const child = spawn(process.execPath, ['--conditions=quartermaster-source', script, folder, url, journal], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close');
  child.stdin.on('error', () => undefined); // it was killed
  const readLine = async (): Promise<string | undefined> => (await lines.next()).value;
  if ((await readLine()) !== 'ready') throw new Error('the other process did not get ready');
  return {
    pid: child.pid ?? 0,
    journal,
    order: (turn) => void child.stdin.write(`${JSON.stringify(turn)}\n`),
    readLine,
    async readEnd() {
      let line = await readLine();
      while (line?.startsWith('shown ') === true) line = await readLine();
      return line;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
