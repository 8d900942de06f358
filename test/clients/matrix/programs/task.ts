import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { answerOf, fixtureServers, fixtureTools } from '../fixture-tools.ts';
import type { FixtureTool } from '../fixture-tools.ts';

/** What a driver hands to a program that is written with an SDK, as JSON in its first argument. */
export interface ProgramTask {
  /** Where the SDK is installed. */
  readonly sdkFolder: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly prompt: string;
  /** The conversation: read if it is there, written at the end. */
  readonly sessionFile: string;
}

/** A program's own shell tool; the fixture's tools stand beside it. */
export const shellTool: FixtureTool = {
  name: 'run_shell',
  description: 'Runs a command in the work folder and answers with what it printed.',
  inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
};

export const programTools: readonly FixtureTool[] = [shellTool, ...fixtureServers.flatMap(fixtureTools)];

export async function runTool(name: string, input: Readonly<Record<string, unknown>>): Promise<string> {
  if (name !== shellTool.name) return answerOf(name, input);
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', String(input['command'])]);
  return stdout;
}

/** A package of the SDK's install, which is outside the repository. */
export function importFrom(sdkFolder: string, name: string): Promise<unknown> {
  const require = createRequire(join(sdkFolder, 'package.json'));
  return import(pathToFileURL(require.resolve(name)).href);
}

/** The messages of an earlier run, or none. */
export async function readSession(file: string): Promise<unknown[]> {
  const text = await readFile(file, 'utf8').catch(() => '[]');
  const messages: unknown = JSON.parse(text);
  return Array.isArray(messages) ? messages : [];
}

export function writeSession(file: string, messages: readonly unknown[]): Promise<void> {
  return writeFile(file, JSON.stringify(messages));
}
