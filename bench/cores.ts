import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The proxy has one core for itself; the load and the upstream share the other. */
export const proxyCore = 0;
export const otherCore = 1;

/** Whether processes can be pinned: with `taskset`, on two cores or more. */
export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
}

/** A command that runs on one core, or the same command where nothing can be pinned. */
export function onCore(core: number, command: readonly string[]): readonly string[] {
  return canPin() ? ['taskset', '-c', String(core), ...command] : command;
}

/** Moves a running process with all of its threads; puts it back where it was when disposed. */
export function pinToCore(pid: number, core: number): Disposable {
  if (!canPin()) return { [Symbol.dispose]() {} };
  const before = spawnSync('taskset', ['-cp', String(pid)], { encoding: 'utf8' })
    .stdout.split(': ')
    .at(-1);
  const move = (cores: string): void => {
    spawnSync('taskset', ['-acp', cores, String(pid)]);
  };
  move(String(core));
  return {
    [Symbol.dispose]() {
      if (before !== undefined) move(before.trim());
    },
  };
}
