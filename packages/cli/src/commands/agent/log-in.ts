import { nearestNames } from '@quartermaster/agent/settings';
import { RuntimeError } from '@quartermaster/runtime';
import type { AgentFile } from '@quartermaster/runtime/agent-file';
import { createPublicFetch, loginToMcpServer } from '@quartermaster/runtime/toolsets';
import type { McpConfig } from '@quartermaster/runtime/toolsets';
import { CliError } from '../../errors.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { CommandOptions } from '../setting-flags.ts';
import { openLogins } from './logins.ts';
import { explainFaults, readAgents, readSettings, userOf } from './team-files.ts';

/** Which server, of which file. */
interface Wanted {
  readonly file: string;
  readonly toolset: string;
}

/** How long a person may take, in ms. */
const patienceMs = 10 * 60_000;

/**
 * `qm agent FILE --login TOOLSET`: a person logs in to an MCP server with a browser, and later turns use the login.
 * Raises `CLI_LOGIN_FAILED`, and `CLI_WRONG_USE` for a toolset that has no logins and a folder that is not trusted.
 */
export async function logIn(
  wanted: Wanted,
  options: CommandOptions,
  { surroundings, signal }: { readonly surroundings: Surroundings; readonly signal: AbortSignal },
): Promise<void> {
  const { out } = surroundings;
  const { toolset } = wanted;
  const { agents, user } = await explainFaults(() => ({
    agents: readAgents(wanted.file, surroundings),
    user: userOf(options, readSettings(options, surroundings)),
  }));
  const config = requireServer(agents, wanted, options);
  await askPerson(config, { ...wanted, user, surroundings, signal });
  const done = `${user} is logged in to ${toolset}.\n`;
  out.write(options['json'] === true ? `${JSON.stringify({ type: 'login', toolset, user })}\n` : done);
}

/** What the folder's files say decides where the login goes, so that the folder has to be trusted (P4). */
function requireServer(agents: AgentFile, { toolset }: Wanted, { trust }: CommandOptions): McpConfig {
  const servers = new Map<string, McpConfig>();
  for (const { name, config } of agents.agents.flatMap(({ toolsets }) => toolsets)) {
    if (config.type === 'mcp' && config.url !== undefined) servers.set(name, config);
  }
  const config = servers.get(toolset);
  if (config === undefined) throw noServer(toolset, [...servers.keys()]);
  if (trust === true) return config;
  throw new CliError(
    'CLI_WRONG_USE',
    `expected --trust: the login goes where the files of this folder say. Look at ${toolset} in them first.`,
  );
}

function noServer(toolset: string, known: readonly string[]): CliError {
  const [nearest] = nearestNames(toolset, known);
  const advice =
    nearest === undefined ? `There are: ${known.join(', ') || 'none'}.` : `Did you mean ${nearest}?`;
  return new CliError(
    'CLI_WRONG_USE',
    `expected an agent's toolset of the type mcp with a url; "${toolset}" is none. ${advice}`,
  );
}

async function askPerson(
  config: McpConfig,
  {
    file,
    toolset,
    user,
    surroundings,
    signal,
  }: Wanted & { readonly user: string; readonly surroundings: Surroundings; readonly signal: AbortSignal },
): Promise<void> {
  const { env, err, ids } = surroundings;
  await using resources = new AsyncDisposableStack();
  const web = createPublicFetch();
  resources.defer(() => web.close());
  try {
    await loginToMcpServer({
      config,
      env,
      store: openLogins(file, user, surroundings).store,
      user,
      ids,
      fetch: globalThis.fetch,
      publicFetch: web.fetch,
      show(url) {
        err.write(`Log in to ${toolset} as ${user}, in a browser on this machine:\n\n${url.href}\n\n`);
        err.write('Waiting for it to come back; Ctrl-C stops.\n');
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    });
  } catch (cause) {
    throw loginFailed(toolset, cause);
  }
}

function loginFailed(toolset: string, cause: unknown): CliError {
  const advice =
    cause instanceof RuntimeError
      ? ''
      : ` Look at url and oauth of ${toolset}, and whether its server has logins.`;
  return new CliError(
    'CLI_LOGIN_FAILED',
    `the login to ${toolset} failed: ${explain(cause)}${advice} Nothing was changed; try it again.`,
    { cause },
  );
}

/** With what lies below it, on one line: some of it is a server's. */
function explain(cause: unknown): string {
  const below = cause instanceof Error && cause.cause instanceof Error ? `: ${cause.cause.message}` : '';
  const said = cause instanceof Error ? cause.message : String(cause);
  const line = `${said}${below}`
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 300);
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
