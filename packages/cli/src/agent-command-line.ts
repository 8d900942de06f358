import type { Command } from 'commander';
import type { CommandOptions } from './commands/setting-flags.ts';
import type { Surroundings } from './surroundings.ts';

/** Adds the command that runs agents. */
export function addAgent(program: Command, surroundings: Surroundings): void {
  program
    .command('agent')
    .description('run one turn of the agents of a file')
    .argument('[file]', 'agent.yaml')
    .argument('[prompt]', 'what you say; standard input by default')
    .option('--session <id>', 'go on with a session, or begin one of that name')
    .option('--user <name>', "whose session; default: the settings' defaultUser")
    .option('--model <model>', "in place of the root agent's model")
    .option('--trust', 'let the allow rules and settings of this folder count')
    .option('--simulate', 'use a simulated provider: no key, no network')
    .option('--store <folder>', 'folder of the SQLite file')
    .option('--config <file>', 'read this file in place of ./qm.yaml')
    .option(
      '--cache',
      "then print what each answer's prompt read from the provider's cache, and why it moved",
    )
    .option('--login <toolset>', 'log in to the MCP server of a toolset, in a browser')
    .option('--schema', 'print the JSON Schema of agent.yaml, for editors')
    .option('--json', 'print each event as a line of JSON')
    .action(async (file: string | undefined, prompt: string | undefined, options: CommandOptions) => {
      const { runAgent } = await import('./commands/agent/agent.ts');
      await runAgent(file, prompt, options, surroundings);
    });
}
