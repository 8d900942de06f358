import path from 'node:path';
import { AgentError, AgentGraphError } from '@quartermaster/agent';
import { parsePolicy } from '@quartermaster/agent/permissions';
import type { PermissionRule } from '@quartermaster/agent/permissions';
import { loadSettings } from '@quartermaster/agent/settings';
import type { Settings } from '@quartermaster/agent/settings';
import { RuntimeError } from '@quartermaster/runtime';
import { readAgentFile } from '@quartermaster/runtime/agent-file';
import type { AgentFile } from '@quartermaster/runtime/agent-file';
import { findFiles } from '../../config/layers.ts';
import { CliError } from '../../errors.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { CommandOptions } from '../setting-flags.ts';

/**
 * Raises `CLI_BAD_AGENTS` where `work` finds a file, settings or a policy that can't be what was meant. `file` is where the
 * agents stand: a fault of their tree has no line of its own.
 */
export async function explainFaults<Result>(
  work: () => Result | Promise<Result>,
  file?: string,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof AgentError || cause instanceof RuntimeError)) throw cause;
    const place = cause instanceof AgentGraphError && file !== undefined ? `${file}: ` : '';
    throw new CliError('CLI_BAD_AGENTS', `${place}${cause.message}`, { cause });
  }
}

/** The agents of `file`. */
export function readAgents(file: string, { cwd, env, readFile }: Surroundings): AgentFile {
  const text = readFile(path.resolve(cwd, file));
  if (text === undefined)
    throw new CliError('CLI_FILE_UNREADABLE', `expected a file of agents, found none at ${file}.`);
  return readAgentFile({ file, text }, env);
}

/**
 * A folder that is not trusted sets nothing: its file could send the user's keys to an address of its own, as its allow
 * rules could give its agents the user's rights (P4).
 */
export function readSettings({ model, trust }: CommandOptions, surroundings: Surroundings): Settings {
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

/** Whose conversations and logins they are. */
export function userOf({ user }: CommandOptions, { defaultUser }: Pick<Settings, 'defaultUser'>): string {
  return typeof user === 'string' ? user : defaultUser;
}

/** The user's own rules. */
export function readPolicy(surroundings: Surroundings): readonly PermissionRule[] {
  const file = path.join(configFolder(surroundings), 'policy.yaml');
  const text = surroundings.readFile(file);
  return text === undefined ? [] : parsePolicy({ file, text, source: 'user' });
}

function configFolder(surroundings: Surroundings): string {
  return path.dirname(findFiles(surroundings).userFile);
}
