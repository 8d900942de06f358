import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import type { OwnerHost } from './owner.ts';

/** The machine and the process that this package runs in; the only place where it reads them. */
export function readOwnerHost(): OwnerHost {
  return { host: hostname(), boot: readBoot(), pid: process.pid, startTimeOf };
}

/** Numbers of processes mean the same only within one start of one machine, and one namespace of it. */
function readBoot(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}`;
  } catch {
    return ''; // no Linux
  }
}

/** Fields 3 and 22 of proc(5); the name before them may hold spaces and brackets. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : (fields[19] ?? '');
  } catch {
    return exists(pid) ? '' : undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
