import path from 'node:path';
import { AgentError } from '@quartermaster/agent';
import { createModelCache } from '@quartermaster/agent/models';
import { parsePolicy, readSymbolicLink } from '@quartermaster/agent/permissions';
import type { PathSurroundings, PermissionRule } from '@quartermaster/agent/permissions';
import { readHost } from '@quartermaster/agent/services';
import { loadSettings } from '@quartermaster/agent/settings';
import type { Settings } from '@quartermaster/agent/settings';
import { catalog } from '@quartermaster/catalog';
import { readOwnerHost, RuntimeError } from '@quartermaster/runtime';
import { createTeam, readAgentFile } from '@quartermaster/runtime/agent-file';
import type { AgentFile, Team } from '@quartermaster/runtime/agent-file';
import { openSqliteStore } from '@quartermaster/store';
import { findFiles } from '../../config/layers.ts';
import { CliError } from '../../errors.ts';
import type { Surroundings } from '../../surroundings.ts';
import { loadCommandConfig, type CommandOptions } from '../setting-flags.ts';
import { simulateProviders } from './simulate-providers.ts';
import type { TeamContext } from './team-context.ts';

/** The agents of a file, and whose conversations they have. */
export interface OpenTeam {
  readonly team: Team;
  readonly defaultUser: string;
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
  try {
    return await open(file, options, context);
  } catch (cause) {
    if (!(cause instanceof AgentError || cause instanceof RuntimeError)) throw cause;
    throw new CliError('CLI_BAD_AGENTS', cause.message, { cause });
  }
}

async function open(
  file: string,
  options: CommandOptions,
  { surroundings, resources }: TeamContext,
): Promise<OpenTeam> {
  const { cwd, env, err, clock, ids } = surroundings;
  const agentFile = readAgents(file, surroundings);
  const given = { file: agentFile, settings: readSettings(options, surroundings) };
  const { settings, ...used } =
    options['simulate'] === true ? await simulateProviders(given, { surroundings, resources }) : given;
  const { folder } = loadCommandConfig(options, surroundings).config.store;
  const store = await openSqliteStore({ folder, clock });
  resources.defer(() => store.close());
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
    warn: (message) => err.write(`warning: ${message}\n`),
  });
  resources.defer(() => team.close());
  return { team, defaultUser: settings.defaultUser };
}

function readAgents(file: string, { cwd, env, readFile }: Surroundings): AgentFile {
  const text = readFile(path.resolve(cwd, file));
  if (text === undefined)
    throw new CliError('CLI_FILE_UNREADABLE', `expected a file of agents, found none at ${file}.`);
  return readAgentFile({ file, text }, env);
}

/**
 * A folder that is not trusted sets nothing: its file could send the user's keys to an address of its own, as its allow
 * rules could give its agents the user's rights (P4).
 */
function readSettings({ model, trust }: CommandOptions, surroundings: Surroundings): Settings {
  const { env, cwd, readFile } = surroundings;
  const read = (file: string) => {
    const text = readFile(file);
    return text === undefined ? undefined : { file, text };
  };
  const userFile = read(path.join(configFolder(surroundings), 'settings.yaml'));
  const projectFile = trust === true ? read(path.join(cwd, '.quartermaster', 'settings.yaml')) : undefined;
  return loadSettings({
    explicit: { model },
    env,
    ...(projectFile !== undefined && { projectFile }),
    ...(userFile !== undefined && { userFile }),
  }).settings;
}

function readPolicy(surroundings: Surroundings): readonly PermissionRule[] {
  const file = path.join(configFolder(surroundings), 'policy.yaml');
  const text = surroundings.readFile(file);
  return text === undefined ? [] : parsePolicy({ file, text, source: 'user' });
}

function configFolder(surroundings: Surroundings): string {
  return path.dirname(findFiles(surroundings).userFile);
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
