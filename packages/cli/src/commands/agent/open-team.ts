import path from 'node:path';
import { createModelCache } from '@quartermaster/agent/models';
import { readSymbolicLink } from '@quartermaster/agent/permissions';
import type { PathSurroundings } from '@quartermaster/agent/permissions';
import { readHost } from '@quartermaster/agent/services';
import { catalog } from '@quartermaster/catalog';
import { readOwnerHost } from '@quartermaster/runtime';
import { createTeam } from '@quartermaster/runtime/agent-file';
import type { AgentFile, Team } from '@quartermaster/runtime/agent-file';
import { openSqliteStore } from '@quartermaster/store';
import type { Store } from '@quartermaster/store';
import { CliError } from '../../errors.ts';
import type { Surroundings } from '../../surroundings.ts';
import { loadCommandConfig, type CommandOptions } from '../setting-flags.ts';
import { openLogins } from './logins.ts';
import { simulateProviders } from './simulate-providers.ts';
import type { TeamContext } from './team-context.ts';
import { explainFaults, readAgents, readPolicy, readSettings, userOf } from './team-files.ts';

/** The agents of a file, whose conversations they have, and where these are kept. */
export interface OpenTeam {
  readonly team: Team;
  readonly user: string;
  readonly store: Store;
}

/**
 * Opens all that the agents of `file` need; `resources` lets go of it, the last opened first. Raises `CLI_BAD_AGENTS` for
 * a file, settings or a policy that can't be what was meant.
 */
export async function openTeam(
  file: string,
  options: CommandOptions,
  context: TeamContext,
): Promise<OpenTeam> {
  return await explainFaults(() => open(file, options, context), file);
}

async function open(
  file: string,
  options: CommandOptions,
  { surroundings, resources }: TeamContext,
): Promise<OpenTeam> {
  const { cwd, env, err, clock, ids } = surroundings;
  const agentFile = readAgents(file, surroundings);
  requireTrust(agentFile, options);
  const given = { file: agentFile, settings: readSettings(options, surroundings) };
  const { settings, ...used } =
    options['simulate'] === true ? await simulateProviders(given, { surroundings, resources }) : given;
  const { folder } = loadCommandConfig(options, surroundings).config.store;
  const store = await openSqliteStore({ folder, clock });
  resources.defer(() => store.close());
  const user = userOf(options, settings);
  const team = await createTeam({
    ...used,
    settings,
    folder: path.dirname(path.resolve(cwd, file)),
    env,
    catalog,
    store,
    // What is simulated is not there the next time.
    ...(options['simulate'] !== true && { modelCache: createModelCache(path.join(folder, 'models.json')) }),
    paths: readPathSurroundings(surroundings),
    rules: readPolicy(surroundings),
    isProjectTrusted: () => options['trust'] === true,
    host: readHost(),
    ownerHost: readOwnerHost(),
    clock,
    ids,
    origin: 'run',
    logins: openLogins(file, user, surroundings),
    warn: (message) => err.write(`warning: ${message}\n`),
  });
  resources.defer(() => team.close());
  return { team, user, store };
}

/** A file that names an address and a variable would send what that holds to whoever wrote it (C4, P4). */
function requireTrust({ models }: AgentFile, { trust, simulate }: CommandOptions): void {
  if (trust === true || simulate === true) return;
  const [name] = [...models].find(([, { baseUrl }]) => baseUrl !== undefined) ?? [];
  if (name === undefined) return;
  throw new CliError(
    'CLI_WRONG_USE',
    `expected --trust: the file says where the model ${name} is asked, and with which key. Look at it first.`,
  );
}

function readPathSurroundings({ cwd, home, platform }: Surroundings): PathSurroundings {
  return {
    platform: platform === 'win32' ? 'windows' : 'posix',
    isCaseSensitive: platform !== 'win32' && platform !== 'darwin',
    workspace: cwd,
    home,
    readLink: readSymbolicLink,
  };
}
