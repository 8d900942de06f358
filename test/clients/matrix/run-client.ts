import { dirname } from 'node:path';
import process from 'node:process';
import { runProgram } from '../run-program.ts';
import type { Room, Turn } from './driver.ts';

/** Longer than the longest back-off that a story's single fault sets off, on a machine that is busy. */
const deadlineMs = 180_000;

interface ClientRun {
  /** Added to the clean environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a client's program in its room, with the home and the work folder of that. */
export async function runClient(
  room: Room,
  program: string,
  args: readonly string[],
  { env, ...run }: ClientRun = {},
): Promise<Omit<Turn, 'session'>> {
  const { exitCode, stdout, stderr, outOfTime } = await runProgram(program, args, {
    folder: room.workFolder,
    env: {
      // The clients' launchers take the Node that runs the tests.
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: room.home,
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      ...env,
    },
    ...run,
    deadlineMs,
  });
  return { exitCode, stdout, stderr: outOfTime ? `${stderr}\nkilled at its deadline` : stderr };
}

/** What a client printed without the lines that depend on how fast it ran. */
export function withoutLines(stdout: string, pattern: RegExp): string {
  return stdout
    .split('\n')
    .filter((line) => !pattern.test(line))
    .join('\n');
}

/** Puts neighbouring lines in the order of the names that `call` finds in them: what is done at once ends as it may. */
export function withSortedCalls(stdout: string, call: RegExp): string {
  const nameIn = (line: string): string => call.exec(line)?.[1] ?? '';
  const sorted: string[][] = [];
  for (const line of stdout.split('\n')) {
    const run = sorted.at(-1);
    if (run !== undefined && nameIn(line) !== '' && nameIn(run[0] ?? '') !== '') run.push(line);
    else sorted.push([line]);
  }
  return sorted.flatMap((run) => run.toSorted((a, b) => nameIn(a).localeCompare(nameIn(b)))).join('\n');
}
