import { createAgentManager } from '@quartermaster/agent/turns';
import type { AgentManager, TurnConsumer, TurnResult } from '@quartermaster/agent/turns';
import { CliError } from '../../errors.ts';
import { awaitStopSignal } from '../../stop-signal.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { CommandOptions } from '../setting-flags.ts';
import { createAsker } from './ask-in-terminal.ts';
import { openTeam } from './open-team.ts';
import { showAsJson, showAsText } from './show-events.ts';

/** Names the conversations of this command in the store. */
const app = 'qm-agent';

/**
 * `qm agent FILE "prompt"`: one turn of the agents of a file, its events printed as they come. SIGINT and SIGTERM cancel
 * the turn; its session stays valid and can be gone on with.
 */
export async function runAgent(
  file: string,
  prompt: string | undefined,
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { err, ids } = surroundings;
  using stop = awaitStopSignal(surroundings);
  const text = prompt ?? (await readPrompt(surroundings));
  await using resources = new AsyncDisposableStack();
  const { team, defaultUser } = await openTeam(file, options, { surroundings, resources });
  const { model, user, session = ids() } = readOptions(options);
  const manager = createAgentManager({ backend: team.backend, app, defaultUser, ids, ...model });
  resources.defer(() => manager.cleanup());
  const consumer = createConsumer(options, surroundings);
  const result = await runUntilStopped(manager, { input: { session, text, ...user }, consumer, stop });
  if (options['json'] !== true) err.write(`\nTo go on: --session ${session}\n`);
  if (result.status === 'completed') return;
  const why = result.error === undefined ? '' : `: ${result.error.message} (${result.error.code})`;
  throw new CliError('CLI_TURN_FAILED', `the turn was ${result.status}${why}`);
}

async function runUntilStopped(
  manager: AgentManager,
  {
    input,
    consumer,
    stop,
  }: {
    readonly input: Parameters<AgentManager['process']>[0];
    readonly consumer: TurnConsumer;
    readonly stop: { readonly asked: Promise<void> };
  },
): Promise<TurnResult> {
  const cancel = new AbortController();
  void stop.asked.then(() => cancel.abort(new Error('stopped by a signal')));
  return await manager.process(input, { ...consumer, signal: cancel.signal });
}

function createConsumer({ json }: CommandOptions, surroundings: Surroundings): TurnConsumer {
  const { out, err, input } = surroundings;
  return {
    onEvent: json === true ? showAsJson(out) : showAsText({ out, err }),
    // Of a pipe nobody knows what it would answer.
    ...(input.isTerminal && err.isTerminal && { ask: createAsker(surroundings) }),
  };
}

async function readPrompt({ input }: Surroundings): Promise<string> {
  const text = input.isTerminal ? '' : (await input.readAll()).trim();
  if (text !== '') return text;
  throw new CliError(
    'CLI_WRONG_USE',
    'expected a prompt: qm agent FILE "prompt", or the prompt on standard input.',
  );
}

/** Those of commander that were given. */
function readOptions(options: CommandOptions): {
  readonly model?: { readonly model: string };
  readonly user?: { readonly user: string };
  readonly session?: string;
} {
  const { model, user, session } = options;
  return {
    ...(typeof model === 'string' && { model: { model } }),
    ...(typeof user === 'string' && { user: { user } }),
    ...(typeof session === 'string' && { session }),
  };
}
