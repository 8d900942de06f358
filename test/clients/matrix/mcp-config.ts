import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fixtureServers } from './fixture-tools.ts';

const program = join(import.meta.dirname, 'tool-server.ts');

/** A value for each of the fixture's MCP servers, by name, from the command that starts it. */
export function forEachServer<Entry>(
  entryOf: (command: string, args: readonly string[]) => Entry,
  /** How much later each server is ready than the one before, for clients that list tools by who is ready first. */
  stepMs = 0,
): Record<string, Entry> {
  return Object.fromEntries(
    fixtureServers.map((server, index) => [
      server,
      entryOf(process.execPath, [program, server, String(index * stepMs)]),
    ]),
  );
}

export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeSetting(path, JSON.stringify(value));
}

export async function writeSetting(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
