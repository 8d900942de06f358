import { adminTokenVariable, readAdminToken } from './admin-token.ts';
import { formatOrigin, type Entry, type Origin } from './entry.ts';
import { badConfig, explainIssue } from './explain.ts';
import { refuseFoundAddresses } from './found-file.ts';
import { findFoundFile, readLayers, type ConfigSources } from './layers.ts';
import { configSchema, type Config } from './schema.ts';
import { listSettings } from './settings.ts';

export interface LoadedConfig {
  readonly config: Config;
  /** One for each setting, by its dotted path, and one for the admin token where it is set. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** What may be shown of the values that name variables: the text that names them. */
  readonly written: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/**
 * Puts the layers on top of each other: built-in defaults, the user's file, the project's file, environment, flags.
 * Raises `CLI_BAD_CONFIG` with every problem found, before anything is started.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const settings = listSettings();
  const layers = readLayers(sources, settings);
  const entries = new Map(layers.flatMap((layer) => layer.entries).map((entry) => [entry.path, entry]));
  const parsed = configSchema.safeParse(nest(entries));
  const token = readAdminToken(sources.env);
  const problems = [
    ...layers.flatMap((layer) => layer.problems),
    ...(parsed.error?.issues ?? []).map((issue) => explainIssue(issue, entries)),
    ...refuseFoundAddresses(entries, findFoundFile(sources)),
    ...token.problems,
  ];
  if (!parsed.success || problems.length > 0) throw badConfig(problems);

  const adminToken = token.value;
  const origins = settings.all.map(({ path }) => [path, entries.get(path)?.origin ?? defaultOrigin] as const);
  return {
    config: { ...parsed.data, ...(adminToken !== undefined && { adminToken }) },
    origins: new Map([
      ...origins,
      ...(adminToken === undefined ? [] : [['adminToken', adminTokenOrigin] as const]),
    ]),
    written: new Map(
      [...entries.values()].flatMap(({ path, written }) => (written === undefined ? [] : [[path, written]])),
    ),
    warnings: [...layers.flatMap((layer) => layer.warnings), ...warnOfQueries(entries)],
  };
}

const defaultOrigin: Origin = { type: 'default' };
const adminTokenOrigin: Origin = { type: 'environment', variable: adminTokenVariable };

/** Sections are one level deep. */
function nest(entries: ReadonlyMap<string, Entry>): object {
  const root: Record<string, unknown> = {};
  for (const { path, value } of entries.values()) {
    const [first = '', second] = path.split('.');
    root[first] = second === undefined ? value : { ...Object(root[first]), [second]: value };
  }
  return root;
}

/** A query of a base URL would be lost, since the query of a request is the client's. */
function warnOfQueries(entries: ReadonlyMap<string, Entry>): readonly string[] {
  return [...entries.values()]
    .filter(({ path, value }) => path.startsWith('upstreams.') && String(value).includes('?'))
    .map(
      ({ path, origin }) =>
        `${formatOrigin(origin)}: the query of ${path} is not sent; only its address and path are used`,
    );
}
