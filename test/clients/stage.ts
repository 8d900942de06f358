import { mkdtempDisposable, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClaudeCode } from './claude-code.ts';
import type { ClaudeCode } from './claude-code.ts';
import { installClient } from './install.ts';
import type { ClientInstall, ClientUnavailable } from './install.ts';
import { pins } from './pins.ts';

/** Longest time that the install of a client may take in a `beforeAll`. */
export const installTimeoutMs = 300_000;

export function installClaudeCode(): Promise<ClientInstall | ClientUnavailable> {
  return installClient({ name: 'Claude Code', packages: pins.claudeCode });
}

/** The client, or the end of the test, skipped with the reason. */
export function requireClient(
  install: ClientInstall | ClientUnavailable | undefined,
  context: { skip(note: string): never },
): ClientInstall {
  if (install === undefined) throw new Error('The client was not looked for: beforeAll did not end.');
  return 'unavailable' in install ? context.skip(install.unavailable) : install;
}

/** Claude Code with a home and a project that are gone after the test. */
export interface ClaudeCodeStage extends AsyncDisposable {
  readonly workFolder: string;
  /** Its sessions live in the stage's home, so any of the clients made here can resume them. */
  client(options: { readonly baseUrl: string; readonly ownToolSearch?: boolean }): ClaudeCode;
}

export async function openStage(install: ClientInstall): Promise<ClaudeCodeStage> {
  await using folders = new AsyncDisposableStack();
  const home = folders.use(await mkdtempDisposable(join(tmpdir(), 'qm-home-'))).path;
  const workFolder = await realpath(folders.use(await mkdtempDisposable(join(tmpdir(), 'qm-work-'))).path);
  const opened = folders.move();
  return {
    workFolder,
    client: (options) => createClaudeCode({ install, home, workFolder, ...options }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
