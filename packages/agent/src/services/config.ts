import process from 'node:process';

/** What a code executor needs of this process; the only place where the package reads it. */
export interface Host {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program that runs JavaScript. */
  readonly nodePath: string;
  /** Kills a process and all of its group; one that is gone, or no longer ours, is fine. */
  killGroup(pid: number): void;
}

/** The process that this package runs in. */
export function readHost(): Host {
  return { environment: process.env, nodePath: process.execPath, killGroup };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
