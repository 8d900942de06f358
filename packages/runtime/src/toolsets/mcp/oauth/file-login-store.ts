import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RuntimeError } from '../../../runtime-error.ts';
import type { McpLogin, McpLoginKey, McpLoginStore } from './login-store.ts';

/** What files of logins are made with. */
export interface FileLoginOptions {
  /** Made when it is missing; its owner alone can read it. */
  readonly folder: string;
  readonly clock: { now(): number };
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Unique. */
  readonly ids: () => string;
}

/** A lock that is older was left by a process that is gone, in ms; a change takes much less. */
const abandonedAfterMs = 60_000;
const tryAgainMs = 25;
const givenUpAfterMs = 90_000;

/** Logins in files that their owner alone can read, one file each. Rejects with `RUNTIME_MCP_LOGIN` for a broken one. */
export function createFileLoginStore(options: FileLoginOptions): McpLoginStore {
  const fileOf = ({ user, url }: McpLoginKey): string => {
    // Whatever a user is called, the name of the file is one.
    const name = createHash('sha256')
      .update(JSON.stringify([user, url]))
      .digest('hex');
    return path.join(options.folder, `${name}.json`);
  };

  return {
    read: (key) => readLogin(fileOf(key)),
    async change(key, change) {
      const file = fileOf(key);
      await mkdir(options.folder, { recursive: true, mode: 0o700 });
      await takeLock(`${file}.lock`, options);
      try {
        const login = await change((await readLogin(file)) ?? {});
        if (login !== undefined) await writeLogin(file, login, options.ids());
      } finally {
        await rm(`${file}.lock`, { force: true });
      }
    },
  };
}

async function readLogin(file: string): Promise<McpLogin | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as McpLogin;
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return undefined;
    throw new RuntimeError(
      'RUNTIME_MCP_LOGIN',
      `Expected a login in ${file}; it can't be read. Delete it and log in again.`,
      { cause },
    );
  }
}

/** Whole or not at all. */
async function writeLogin(file: string, login: McpLogin, id: string): Promise<void> {
  const draft = `${file}.${id}`;
  await writeFile(draft, JSON.stringify(login), { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}

async function takeLock(lock: string, { clock, sleep }: FileLoginOptions): Promise<void> {
  const untilMs = clock.now() + givenUpAfterMs;
  while (!(await makeFile(lock))) {
    if (await isAbandoned(lock, clock)) await rm(lock, { force: true });
    else if (clock.now() >= untilMs) {
      throw new RuntimeError('RUNTIME_MCP_LOGIN', `Expected ${lock} to be free; another process holds it.`);
    } else await sleep(tryAgainMs);
  }
}

async function makeFile(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function isAbandoned(lock: string, clock: { now(): number }): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found !== undefined && clock.now() - found.mtimeMs > abandonedAfterMs;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
