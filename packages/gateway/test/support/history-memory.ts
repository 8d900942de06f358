import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const program = path.join(import.meta.dirname, '../fixtures/history-memory.ts');

/** Heap, in bytes, that the history of `tenants` takes with 64 sessions of 48 tools in 4 projects each. */
export async function measureHistory(tenants: number): Promise<number> {
  const flags = ['--expose-gc', '--conditions=quartermaster-source', program, String(tenants)];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return Number(stdout);
}
