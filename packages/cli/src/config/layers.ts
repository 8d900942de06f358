import path from 'node:path';
import { CliError } from '../errors.ts';
import { readText, type Entry, type Layer } from './entry.ts';
import { readEnvironmentLayer } from './environment-layer.ts';
import { readFileLayer } from './file-layer.ts';
import type { Environment } from './interpolate.ts';
import type { Settings } from './settings.ts';

/** A flag of the command line that sets a setting. */
export interface FlagValue {
  /** As typed: `--port`. */
  readonly flag: string;
  /** The setting's dotted path. */
  readonly setting: string;
  readonly text: string;
}

/** Everything that configuration is made of. */
export interface ConfigSources {
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  readonly flags: readonly FlagValue[];
  /** Read in place of the working folder's `qm.yaml`; it then has to be there. */
  readonly configFile?: string;
  /** The file's text; `undefined` where there is no such file. */
  readonly readFile: (file: string) => string | undefined;
}

/** All layers, the weakest first. Paths in them are absolute. Raises `CLI_BAD_CONFIG` where `configFile` is missing. */
export function readLayers(sources: ConfigSources, settings: Settings): readonly Layer[] {
  const { userFile, projectFile } = findFiles(sources);
  const isNamed = sources.configFile !== undefined;
  if (isNamed && sources.readFile(projectFile) === undefined) {
    throw new CliError('CLI_BAD_CONFIG', `--config: expected a file, found none at ${projectFile}.`);
  }
  const layers = [
    defaultLayer(sources),
    ...(userFile === projectFile ? [] : [readFile(userFile, sources, settings)]),
    readFile(projectFile, sources, settings),
    readEnvironmentLayer(sources.env, settings),
    flagLayer(sources.flags, settings),
  ];
  return layers.map((layer) => ({
    ...layer,
    entries: layer.entries.map((entry) => locate(entry, sources, settings)),
  }));
}

/** The two files that are looked for. */
export function findFiles({ env, home, cwd, configFile }: Omit<ConfigSources, 'flags' | 'readFile'>): {
  readonly userFile: string;
  readonly projectFile: string;
} {
  const folder = xdgFolder(env['XDG_CONFIG_HOME'], path.join(home, '.config'));
  return {
    userFile: path.join(folder, 'quartermaster', 'qm.yaml'),
    projectFile: path.resolve(cwd, configFile ?? 'qm.yaml'),
  };
}

/** The file that nobody named: it counts because the working folder has it. */
export function findFoundFile(sources: ConfigSources): string | undefined {
  const { userFile, projectFile } = findFiles(sources);
  return sources.configFile === undefined && projectFile !== userFile ? projectFile : undefined;
}

/** Where what this program keeps of a user stands. */
export function stateFolder({ env, home }: Pick<ConfigSources, 'env' | 'home'>): string {
  return path.join(xdgFolder(env['XDG_STATE_HOME'], path.join(home, '.local', 'state')), 'quartermaster');
}

/** The defaults that depend on the user; all others stand in the schema. */
function defaultLayer(sources: ConfigSources): Layer {
  return {
    entries: [{ path: 'store.folder', value: stateFolder(sources), origin: { type: 'default' } }],
    problems: [],
    warnings: [],
  };
}

function readFile(file: string, { readFile, env }: ConfigSources, settings: Settings): Layer {
  return readFileLayer({ file, text: readFile(file) ?? '' }, settings, env);
}

function flagLayer(flags: readonly FlagValue[], settings: Settings): Layer {
  const entries = flags.flatMap(({ flag, setting: name, text }): Entry[] => {
    const setting = settings.find(name);
    return setting ? [{ path: name, value: readText(setting, text), origin: { type: 'flag', flag } }] : [];
  });
  return { entries, problems: [], warnings: [] };
}

/** The XDG rules have relative paths ignored. */
function xdgFolder(folder: string | undefined, fallback: string): string {
  return folder !== undefined && path.isAbsolute(folder) ? folder : fallback;
}

/** Makes a path absolute: one of a file stands relative to that file. */
function locate(entry: Entry, { cwd, home }: ConfigSources, settings: Settings): Entry {
  const { value, origin } = entry;
  const isPath = settings.find(entry.path)?.isPath === true;
  if (!isPath || typeof value !== 'string' || value === '' || value.includes('://')) return entry;
  const base = origin.type === 'file' ? path.dirname(origin.file) : cwd;
  return {
    ...entry,
    value: path.resolve(
      base,
      value.replace(/^~(?=\/|$)/, () => home),
    ),
  };
}
