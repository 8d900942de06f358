import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What bash did with one line. */
export interface Ran {
  /** The stand-ins that it called. */
  readonly commands: ReadonlySet<string>;
  readonly hasWritten: boolean;
}

/**
 * Runs each line in a real bash, in a folder of its own. There is no program to find, only functions that note their
 * name; they are read-only and every word that a line may define is one, so that no line can make them call one another.
 */
export async function runInBash(lines: readonly string[], words: readonly string[]): Promise<readonly Ran[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'qm-bash-'));
  try {
    await Promise.all(
      lines.map(async (line, index) => {
        await mkdir(path.join(folder, 'at', String(index)), { recursive: true });
        await writeFile(path.join(folder, `${index}.sh`), line);
      }),
    );
    const log = path.join(folder, 'log');
    await writeFile(path.join(folder, 'run.sh'), script(lines.length, words));
    await writeFile(log, '');
    await runToEnd(folder, lines.length);
    const noted = (await readFile(log, 'utf8')).split('\n').map((entry) => entry.split(' '));
    return await Promise.all(
      lines.map(async (_, index) => ({
        commands: new Set(noted.filter(([at]) => at === String(index)).map(([, name = '']) => name)),
        hasWritten: (await readdir(path.join(folder, 'at', String(index)))).length > 0,
      })),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

function script(count: number, words: readonly string[]): string {
  const functions = words.map(
    (word) => `${word}() { builtin printf "%s\\n" "$AT ${word}" >> "$LOG"; }; readonly -f ${word}`,
  );
  return [
    'ROOT=$PWD; LOG=$PWD/log; readonly ROOT LOG; PATH=/nowhere; ulimit -t 20; shopt -s extglob',
    ...functions,
    `for ((N = 0; N < ${count}; N++)); do`,
    '  ( AT=$N; readonly AT; cd "$ROOT/at/$N" && FUNCNEST=20; eval "$(< "$ROOT/$N.sh")" )',
    'done </dev/null >/dev/null 2>&1',
    'wait',
  ].join('\n');
}

/** A group of its own, ended as a whole when it takes too long. */
async function runToEnd(folder: string, count: number): Promise<void> {
  const child = spawn('bash', ['run.sh'], { cwd: folder, env: {}, detached: true, stdio: 'ignore' });
  const timer = setTimeout(
    () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'),
    30_000 + 10 * count,
  );
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  clearTimeout(timer);
  if (code !== 0) throw new Error(`bash ended with ${String(code)}`);
}
