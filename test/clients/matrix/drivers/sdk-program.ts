import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import type { ProgramTask } from '../programs/task.ts';
import type { ClientDriver } from '../driver.ts';
import { fixtureServers } from '../fixture-tools.ts';
import { runClient } from '../run-client.ts';

/** A program of ours that is written with an SDK: it declares the fixture's tools and a shell. */
export function sdkProgram(options: {
  readonly title: string;
  readonly packages: readonly string[];
  /** File name in `programs`. */
  readonly program: string;
  readonly clientId: string;
}): ClientDriver {
  const program = join(import.meta.dirname, '..', 'programs', options.program);
  return {
    title: options.title,
    packages: options.packages,
    clientId: options.clientId,
    setUp: async () => {},
    async ask(room, { prompt, resume }) {
      const session = resume ?? randomUUID();
      const task: ProgramTask = {
        sdkFolder: room.install.folder,
        baseUrl: room.baseUrl,
        model: 'claude-opus-5-5',
        prompt,
        sessionFile: join(room.home, `${session}.json`),
      };
      const outcome = await runClient(room, process.execPath, [program, JSON.stringify(task)]);
      return { ...outcome, session };
    },
    shell: (command) => ({ tool: 'run_shell', input: { command } }),
    seldom: [
      { tool: `find_${fixtureServers[0]}_goods`, input: { field_1: 'blue' } },
      { tool: `count_${fixtureServers[1]}_goods`, input: { field_2: 'red' } },
    ],
    subAgent: { why: 'a program of one conversation' },
    compact: { why: 'the SDK has none' },
  };
}
