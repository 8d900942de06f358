import {
  catalog as builtInCatalog,
  CatalogError,
  parseCatalogOverrides,
  type Catalog,
} from '@quartermaster/catalog';
import { openSqliteStore, StoreError, type Store } from '@quartermaster/store';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { CliError } from '../errors.ts';
import { createGateway, type AbsentStore, type Gateway, type Log } from '@quartermaster/gateway';
import { createLog } from '../log.ts';
import { isLoopback } from '../loopback.ts';
import { startServer, type RunningServer } from '../server.ts';
import { awaitStopSignal } from '../stop-signal.ts';
import type { Surroundings } from '../surroundings.ts';
import { loadTokenCounter } from '../token-counter.ts';
import { formatGreeting } from './greeting.ts';
import { loadCommandConfig, type CommandOptions } from './setting-flags.ts';

/** How long streams may go on after the wish to stop. */
const drainMs = 30_000;

/** `qm gateway`: runs until SIGTERM or SIGINT, then drains streams and writes what is still in memory. */
export async function runGateway(options: CommandOptions, surroundings: Surroundings): Promise<void> {
  const loaded = loadCommandConfig(options, surroundings);
  using stop = awaitStopSignal(surroundings);
  const { err, out, clock, pid } = surroundings;
  const log = createLog({ level: loaded.config.log.level, output: err, clock });
  for (const warning of [...loaded.warnings, ...warnOfExposure(loaded.config)]) log.warn({}, warning);

  const catalog = readCatalog(loaded.config, surroundings);
  await using resources = new AsyncDisposableStack();
  const store = await openStore(loaded.config, surroundings, log);
  if (!('absent' in store)) resources.defer(() => store.close());
  const gateway = await composeGateway({ loaded, catalog, store, log }, surroundings);
  resources.defer(() => gateway.close());

  const server = await startServer(gateway, loaded.config);
  const { url } = server;
  const facts = { url, pid, store: 'absent' in store ? null : store.location, preset: gateway.preset() };
  out.write(options['json'] === true ? `${JSON.stringify(facts)}\n` : formatGreeting(facts, loaded));
  await stop.asked;
  await drain(server, log);
}

async function composeGateway(
  parts: {
    readonly loaded: LoadedConfig;
    readonly catalog: Catalog;
    readonly store: Store | AbsentStore;
    readonly log: Log;
  },
  { clock, ids }: Surroundings,
): Promise<Gateway> {
  const { loaded, ...rest } = parts;
  const { config, origins } = loaded;
  const gateway = createGateway({
    ...rest,
    clock,
    ids,
    // Loaded before the port opens: the first request would wait for it.
    countTokens: await loadTokenCounter(),
    preset: config.preset,
    // A flag is a word of this very start; files and variables only say what holds by default.
    isPresetNamed: origins.get('preset')?.type === 'flag',
    upstreams: config.upstreams,
    limits: config.limits,
    remove: config.toolfilter.remove,
    keep: config.toolfilter.keep,
    defer: config.toolfilter.defer,
    clientSignals: config.clientSignals,
    retentionDays: config.retention.days,
    ...(config.adminToken !== undefined && { adminToken: config.adminToken }),
  });
  await gateway.ready;
  return gateway;
}

async function drain(server: RunningServer, log: Log): Promise<void> {
  log.info({ withinMs: drainMs }, 'stopping: no new connections; what is under way may end');
  const cut = await server.drain(drainMs);
  if (cut > 0) log.warn({ requests: cut }, 'cut off what was still under way');
}

/** A store that can't be opened costs the deferral, never the service (O1). */
async function openStore(
  { store, preset }: Config,
  { clock }: Surroundings,
  log: Log,
): Promise<Store | AbsentStore> {
  try {
    return await openSqliteStore({ folder: store.folder, durability: store.durability, clock });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const code = error instanceof StoreError ? error.code : 'unknown';
    // The gateway itself says so where it would have deferred; one line is enough.
    if (preset !== 'xhigh' && preset !== 'ultrahigh')
      log.warn({ code }, `no store, so no tool is deferred and no history kept: ${detail}`);
    return { absent: 'not-opened', detail };
  }
}

function readCatalog({ catalog: file }: Config, { readFile }: Surroundings): Catalog {
  if (file === undefined) return builtInCatalog;
  const text = readFile(file);
  if (text === undefined)
    throw new CliError('CLI_CATALOG_UNREADABLE', `catalog: expected a file, found none at ${file}.`);
  try {
    return parseCatalogOverrides(JSON.parse(text), builtInCatalog);
  } catch (cause) {
    if (!(cause instanceof CatalogError || cause instanceof SyntaxError)) throw cause;
    throw new CliError('CLI_CATALOG_UNREADABLE', `${file}: ${cause.message}`, { cause });
  }
}

function warnOfExposure({ host, adminToken }: Config): readonly string[] {
  if (isLoopback(host) || adminToken !== undefined) return [];
  return [
    `listening on ${host} without QM_ADMIN_TOKEN: /stats, /metrics and the other admin routes answer 401`,
  ];
}
