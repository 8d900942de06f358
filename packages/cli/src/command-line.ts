import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { addAccountCommands } from './account-command-line.ts';
import { addAgent } from './agent-command-line.ts';
import { cliErrors, CliError } from './errors.ts';
import type { Surroundings } from './surroundings.ts';

/** 0 done, 1 failed, 2 wrong use. */
export type ExitCode = 0 | 1 | 2;

type Run = (options: Readonly<Record<string, unknown>>) => Promise<void>;

/** Runs one command line and answers its exit code; what went wrong stands on stderr. */
export async function runCommandLine(
  words: readonly string[],
  surroundings: Surroundings,
): Promise<ExitCode> {
  try {
    await createProgram(surroundings).parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    return explain(error, surroundings);
  }
}

function explain(error: unknown, { err }: Surroundings): ExitCode {
  // Commander has printed its own words already; it ends --help and --version this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CliError) {
    err.write(`${error.message}\n`);
    return cliErrors[error.code].exitCode;
  }
  err.write(`qm failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

/** Commands are imported when they run, so that `qm --help` starts fast. */
function createProgram(surroundings: Surroundings): Command {
  const program = new Command('qm')
    .description('Defers the tools that your agent never uses, and keeps its prompt prefix stable.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureOutput({
      writeOut: (text) => surroundings.out.write(text),
      writeErr: (text) => surroundings.err.write(text),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    })
    .exitOverride()
    .showHelpAfterError('qm --help and qm COMMAND --help say what there is.')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong use. Every command takes --json.');
  addGateway(program, async (options) => {
    const { runGateway } = await import('./commands/gateway.ts');
    await runGateway(options, surroundings);
  });
  addSimulate(program, async (options) => {
    const { runSimulate } = await import('./commands/simulate.ts');
    await runSimulate(options, surroundings);
  });
  addDemo(program, async (options) => {
    const { runDemo } = await import('./commands/demo/demo.ts');
    await runDemo(options, surroundings);
  });
  addConfig(program, async (options) => {
    const { runConfig } = await import('./commands/config.ts');
    runConfig(options, surroundings);
  });
  addAgent(program, surroundings);
  addAccountCommands(program, surroundings);
  return program;
}

function addGateway(program: Command, run: Run): void {
  const command = program
    .command('gateway')
    .description('run the gateway that clients are pointed at, on 127.0.0.1:4000')
    .option('--json', 'print one JSON object as the first line: url, pid, store, preset');
  addSettingFlags(command).action(run);
}

function addConfig(program: Command, run: Run): void {
  const command = program
    .command('config')
    .description('print the configuration in force and where each value came from')
    .option('--json', 'print one JSON object')
    .option('--schema', 'print the JSON Schema of qm.yaml, for editors');
  addSettingFlags(command).action(run);
}

function addSimulate(program: Command, run: Run): void {
  program
    .command('simulate')
    .description('run the simulated provider alone, to test agents offline')
    .option('--port <number>', 'port on 127.0.0.1; 0 picks a free one', '0')
    .addOption(
      new Option('--binding <on|off>', 'bind thinking blocks to the prefix before them')
        .choices(['on', 'off'])
        .default('on'),
    )
    .addOption(
      new Option('--tokens <o200k|bytes>', 'count tokens with o200k, or as bytes / 4, which is faster')
        .choices(['o200k', 'bytes'])
        .default('o200k'),
    )
    .option('--json', 'print one JSON object as the first line: url, pid')
    .action(run);
}

function addDemo(program: Command, run: Run): void {
  program
    .command('demo')
    .description('play four sessions of a coding agent with no key and no network, and print the bill')
    .option('--serve', 'keep the simulated provider and the gateway up afterwards')
    .option('--json', 'print one JSON object')
    .action(run);
}

/** Flags that set settings; `commands/setting-flags.ts` says which. */
function addSettingFlags(command: Command): Command {
  return command
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port to listen on; 0 picks a free one and prints it')
    .option('--mode <mode>', 'local: one tenant, this machine')
    .option('--preset <name>', 'off, observe, xhigh or ultrahigh; holds over what qm preset has set')
    .option('--anthropic-upstream <url>', 'base URL of the Anthropic API')
    .option('--openai-upstream <url>', 'base URL of the OpenAI API')
    .option('--gemini-upstream <url>', 'base URL of the Gemini API')
    .option('--store <folder>', 'folder of the SQLite file')
    .option('--config <file>', 'read this file in place of ./qm.yaml')
    .option('--log-level <level>', 'debug, info, warn, error or silent');
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(Object(manifest).version);
}
