import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import type { ConfigSources, FlagValue } from '../config/layers.ts';
import type { Surroundings } from '../surroundings.ts';

/** Options as the command line parsed them, by their names in camel case. */
export type CommandOptions = Readonly<Record<string, unknown>>;

/** Which setting each flag sets. */
const settingOfFlag: Readonly<Record<string, string>> = {
  host: 'host',
  port: 'port',
  mode: 'mode',
  preset: 'preset',
  anthropicUpstream: 'upstreams.anthropic',
  openaiUpstream: 'upstreams.openai',
  geminiUpstream: 'upstreams.gemini',
  store: 'store.folder',
  logLevel: 'log.level',
};

/** Loads the configuration with the flags of this command line on top. Raises `CLI_BAD_CONFIG`. */
export function loadCommandConfig(options: CommandOptions, surroundings: Surroundings): LoadedConfig {
  return loadConfig(sourcesOf(options, surroundings));
}

/** Everything that this command's configuration is made of. */
export function sourcesOf(options: CommandOptions, surroundings: Surroundings): ConfigSources {
  const { env, cwd, home, readFile } = surroundings;
  const { config: configFile } = options;
  const flags = Object.entries(options).flatMap(([name, text]): FlagValue[] => {
    const setting = settingOfFlag[name];
    return setting === undefined || typeof text !== 'string' ? [] : [{ flag: flagOf(name), setting, text }];
  });
  const sources = { env, cwd, home, readFile, flags };
  return typeof configFile === 'string' ? { ...sources, configFile } : sources;
}

/** `anthropicUpstream` is `--anthropic-upstream`. */
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
