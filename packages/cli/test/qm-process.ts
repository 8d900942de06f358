import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

const program = new URL('../bin/qm.js', import.meta.url).pathname;
const deadlineMs = 15_000;

/** How one run of `qm` ended. */
export interface QmResult {
  /** `null` where a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `qm` that runs on. Leaving its scope kills it. */
export interface QmProcess extends AsyncDisposable {
  /** The first line of its standard output, parsed as JSON. */
  readonly first: Readonly<Record<string, unknown>>;
  readonly url: string;
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** Resolves when it says `words` on stderr, with what it said since it was asked for. */
  says(words: string): Promise<string>;
  readonly ended: Promise<QmResult>;
}

/** A folder of its own for a test: home, working folder and place of the store at once. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
}

export async function makeFolder(): Promise<Folder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'qm-cli-'));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs `qm` to its end, with no other environment than `env` and a PATH. */
export async function runQm(words: readonly string[], place: QmPlace): Promise<QmResult> {
  return resultOf(spawnQm(words, place));
}

export interface QmPlace {
  readonly folder: Folder;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; none by default. */
  readonly input?: string;
}

/** Starts a `qm … --json` that runs on, and waits for its first line. */
export async function startQm(words: readonly string[], place: QmPlace): Promise<QmProcess> {
  const child = spawnQm([...words, '--json'], place);
  const ended = resultOf(child);
  const first = await Promise.race([
    firstLine(child),
    ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  const facts = Object(JSON.parse(first));
  return {
    first: facts,
    url: String(facts.url),
    ended,
    signal: (name) => void child.kill(name),
    says: (words) => hear(child, words),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function spawnQm(words: readonly string[], { folder, env = {}, input }: QmPlace): ChildProcess {
  const child = spawn(process.execPath, ['--conditions=quartermaster-source', program, ...words], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], HOME: folder.path, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  // A test that runs out of time never leaves its scope; its child must not outlive it.
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function resultOf(child: ChildProcess): Promise<QmResult> {
  const [[exitCode], stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    read(child.stdout),
    read(child.stderr),
  ]);
  return { exitCode, stdout, stderr };
}

function read(stream: ChildProcess['stdout']): Promise<string> {
  return stream === null ? Promise.resolve('') : text(stream);
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('No standard output.');
  const [line] = await once(createInterface({ input: stdout }), 'line', {
    signal: AbortSignal.timeout(deadlineMs),
  });
  return String(line);
}

/** Starts a `qm` that works on, until it says `words` on stderr; `heard` is all that it said until then. */
export async function startQmUntil(
  words: readonly string[],
  said: string,
  place: QmPlace,
): Promise<Pick<QmProcess, 'signal' | 'ended'> & { readonly heard: string }> {
  const child = spawnQm(words, place);
  const ended = resultOf(child);
  return { heard: await hear(child, said), ended, signal: (name) => void child.kill(name) };
}

function hear({ stderr }: ChildProcess, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error(`It never said "${words}".`)), deadlineMs);
    let said = '';
    stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (!said.includes(words)) return;
      clearTimeout(deadline);
      resolve(said);
    });
  });
}
