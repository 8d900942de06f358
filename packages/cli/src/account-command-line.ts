import { Argument, type Command } from 'commander';
import type { CommandOptions } from './commands/setting-flags.ts';
import type { Surroundings } from './surroundings.ts';

/** Adds the commands that ask a running gateway, or change what an account has set. */
export function addAccountCommands(program: Command, surroundings: Surroundings): void {
  addPreset(program, surroundings);
  addList(program, surroundings, 'keep', 'never defer a tool, or all of mcp__SERVER, in new conversations');
  addList(program, surroundings, 'remove', 'leave a tool, or all of mcp__SERVER, out of new conversations');
  addInspection(program, surroundings);
}

function addPreset(program: Command, surroundings: Surroundings): void {
  const names = ['off', 'observe', 'xhigh', 'ultrahigh'];
  const command = program
    .command('preset')
    .description('show the preset of a running gateway, or set it for new conversations')
    .addArgument(new Argument('[name]', 'off, observe, xhigh or ultrahigh').choices(names))
    .option('--now', 'end the decisions of running conversations too, and say what that costs');
  addAddress(command).action(async (name: string | undefined, options: CommandOptions) => {
    const { runPreset } = await import('./commands/preset.ts');
    await runPreset(name, options, surroundings);
  });
}

function addList(
  program: Command,
  surroundings: Surroundings,
  list: 'keep' | 'remove',
  description: string,
): void {
  const command = program
    .command(list)
    .description(description)
    .argument('<tool>', "a tool's exact name, or mcp__SERVER")
    .option('--undo', 'take it off the list');
  addAddress(command).action(async (tool: string, options: CommandOptions) => {
    const { runToolList } = await import('./commands/tool-list.ts');
    await runToolList(list, tool, options, surroundings);
  });
}

function addInspection(program: Command, surroundings: Surroundings): void {
  const threads = program
    .command('threads')
    .description('show what was decided for a session, with a reason per tool')
    .argument('<session>', "the client's session id");
  addAddress(threads).action(async (session: string, options: CommandOptions) => {
    const { runThreads } = await import('./commands/threads.ts');
    await runThreads(session, options, surroundings);
  });
  const stats = program.command('stats').description('show what a running gateway has counted');
  addAddress(stats).action(async (options: CommandOptions) => {
    const { runStats } = await import('./commands/stats.ts');
    await runStats(options, surroundings);
  });
}

function addAddress(command: Command): Command {
  return command
    .option('--url <url>', 'the gateway to ask; by default that of the configuration')
    .option('--config <file>', 'read this file in place of ./qm.yaml')
    .option('--json', 'print one JSON object');
}
