import { dirname } from 'node:path';
import process from 'node:process';
import { runProgram } from '../run-program.ts';
import type { Room, Turn } from './driver.ts';

/** Longer than the longest back-off that a story's single fault sets off. */
const deadlineMs = 90_000;

/** Runs a client's program in its room, in a clean environment; what it needs beyond that stands in `env`. */
export async function runClient(
  room: Room,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
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
    deadlineMs,
  });
  return { exitCode, stdout, stderr: outOfTime ? `${stderr}\nkilled at its deadline` : stderr };
}
