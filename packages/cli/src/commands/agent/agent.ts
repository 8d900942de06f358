import { createAgentManager } from '@quartermaster/agent/turns';
import type { TurnConsumer, TurnStatus } from '@quartermaster/agent/turns';
import { agentFileJsonSchema } from '@quartermaster/runtime/agent-file';
import { StoreError } from '@quartermaster/store';
import { CliError } from '../../errors.ts';
import { awaitStopSignal } from '../../stop-signal.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { CommandOptions } from '../setting-flags.ts';
import { createAsker } from './ask-in-terminal.ts';
import { holdOutputs } from './hold-outputs.ts';
import { logIn } from './log-in.ts';
import { openTeam } from './open-team.ts';
import { showCacheReport, showStoredCacheReport } from './show-cache-report.ts';
import { showAsJson, showAsText } from './show-events.ts';
import { showServers } from './show-servers.ts';
import { explainFaults, readSettings, userOf } from './team-files.ts';

/** Names the conversations of this command in the store. */
const app = 'qm-agent';

/**
 * `qm agent FILE "prompt"`: one turn of the agents of a file, its events printed as they come. SIGINT and SIGTERM cancel
 * the turn; its session stays valid and can be gone on with. Other work than a turn is asked for by options.
 */
export async function runAgent(
  file: string | undefined,
  prompt: string | undefined,
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { schema, login, session, cache } = options;
  if (schema === true) {
    surroundings.out.write(`${JSON.stringify(agentFileJsonSchema(), null, 2)}\n`);
    return;
  }
  if (file === undefined) throw new CliError('CLI_WRONG_USE', `expected a file of agents: ${usage}.`);
  using stop = awaitStopSignal(surroundings);
  const stopped = new AbortController();
  void stop.asked.then(() => stopped.abort(new Error('stopped by a signal')));
  const context = { surroundings, signal: stopped.signal };
  if (typeof login === 'string') return await logIn({ file, toolset: login }, options, context);
  const text = prompt ?? (await readInput(surroundings));
  if (text !== '') return await explainStoreFailure(() => runTurn(file, text, options, context));
  if (cache !== true || typeof session !== 'string') {
    throw new CliError('CLI_WRONG_USE', `expected a prompt: ${usage}, or the prompt on standard input.`);
  }
  const { user } = await explainFaults(() => ({
    user: userOf(options, readSettings(options, surroundings)),
  }));
  await explainStoreFailure(() => showStoredCacheReport({ app, user, session }, options, surroundings));
}

const usage = 'qm agent FILE "prompt"';

async function runTurn(
  file: string,
  text: string,
  options: CommandOptions,
  { surroundings, signal }: { readonly surroundings: Surroundings; readonly signal: AbortSignal },
): Promise<void> {
  const { err, ids } = surroundings;
  await using resources = new AsyncDisposableStack();
  const { team, user, store } = await openTeam(file, options, { surroundings, resources });
  const { model, session = ids() } = readOptions(options);
  const manager = createAgentManager({ backend: team.backend, app, defaultUser: user, ids, ...model });
  resources.defer(() => manager.cleanup());
  const { consumer, hasBegun } = createConsumer(options, surroundings);
  const { status, error } = await manager.process({ session, text }, { ...consumer, signal });
  showServers(team.servers(), options, surroundings);
  if (hasBegun()) {
    if (options['cache'] === true) {
      await showCacheReport({ app, user, session }, options, { store, surroundings, people: err });
    }
    if (options['json'] !== true) err.write(`\nTo go on: --session ${session}\n`);
  }
  if (status === 'completed') return;
  const why = error === undefined ? '' : `: ${error.message} (${error.code})`;
  throw new CliError('CLI_TURN_FAILED', `${endings[status]}${why}`);
}

const endings: Readonly<Record<Exclude<TurnStatus, 'completed'>, string>> = {
  cancelled: 'the turn was cancelled',
  failed: 'the turn failed',
  unavailable: 'the turn could not begin',
};

/** Raises `CLI_STORE_FAILED` where the store fails `work`; what fails within a turn is in the turn's result. */
async function explainStoreFailure(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new CliError('CLI_STORE_FAILED', `${cause.message} (${cause.code})`, { cause });
  }
}

/** Who is shown the turn, and whether there was anything: one that never began may have no session. */
function createConsumer(
  { json }: CommandOptions,
  surroundings: Surroundings,
): { readonly consumer: TurnConsumer; readonly hasBegun: () => boolean } {
  const { err, input } = surroundings;
  const outputs = holdOutputs(surroundings);
  const show = json === true ? showAsJson(outputs.out) : showAsText(outputs);
  let hasBegun = false;
  return {
    consumer: {
      onEvent(event) {
        hasBegun = true;
        show(event);
      },
      // Of a pipe nobody knows what it would answer.
      ...(input.isTerminal && err.isTerminal && { ask: createAsker(surroundings, outputs) }),
    },
    hasBegun: () => hasBegun,
  };
}

/** Of a terminal nobody waits for words that a person was not asked for. */
async function readInput({ input }: Surroundings): Promise<string> {
  return input.isTerminal ? '' : (await input.readAll()).trim();
}

/** Those of commander that were given. */
function readOptions(options: CommandOptions): {
  readonly model?: { readonly model: string };
  readonly session?: string;
} {
  const { model, session } = options;
  return {
    ...(typeof model === 'string' && { model: { model } }),
    ...(typeof session === 'string' && { session }),
  };
}
