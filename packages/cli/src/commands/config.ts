import { formatOrigin } from '../config/entry.ts';
import { findFiles } from '../config/layers.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { toJsonSchema } from '../config/schema.ts';
import { maskUrl } from '../config/upstream-url.ts';
import type { Surroundings } from '../surroundings.ts';
import { formatTable } from '../table.ts';
import { loadCommandConfig, sourcesOf, type CommandOptions } from './setting-flags.ts';

/** `qm config`: what is in force, where each value came from, and never a secret. */
export function runConfig(options: CommandOptions, surroundings: Surroundings): void {
  const { out, err } = surroundings;
  if (options['schema'] === true) {
    out.write(`${JSON.stringify(toJsonSchema(), null, 2)}\n`);
    return;
  }
  const loaded = loadCommandConfig(options, surroundings);
  for (const warning of loaded.warnings) err.write(`warning: ${warning}\n`);
  const rows = [...loaded.origins].map(([path, origin]) => ({
    path,
    value: showSetting(loaded, path),
    origin,
  }));
  if (options['json'] === true) {
    const settings = rows.map(({ path, value, origin }) => [path, { value, origin }]);
    out.write(`${JSON.stringify({ settings: Object.fromEntries(settings), warnings: loaded.warnings })}\n`);
    return;
  }
  const cells = rows.map(({ path, value, origin }) => [path, showText(value), formatOrigin(origin)]);
  out.write(formatTable(['setting', 'value', 'from'], cells));
  const { userFile, projectFile } = findFiles(sourcesOf(options, surroundings));
  out.write(`\nFiles that are read where they exist: ${userFile}, then ${projectFile}.\n`);
}

/** A value as it may be shown: secrets masked, variables by their names, URLs without user info. */
function showSetting({ config, written }: LoadedConfig, path: string): unknown {
  if (path === 'adminToken') return '…';
  const text = written.get(path);
  if (text !== undefined) return maskUrl(text);
  const value: unknown = path.split('.').reduce((section: unknown, key) => Object(section)[key], config);
  return value instanceof URL ? showUrl(value) : value;
}

/** A base URL without the slash that `URL` puts where there is no path. */
function showUrl(url: URL): string {
  return maskUrl(url.href).replace(/\/$/, '');
}

function showText(value: unknown): string {
  if (value === undefined) return '(none)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
