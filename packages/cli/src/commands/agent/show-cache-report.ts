import { createSessions, readOwnerHost, RuntimeError } from '@quartermaster/runtime';
import type { CacheReport } from '@quartermaster/runtime';
import { openSqliteStore } from '@quartermaster/store';
import type { SessionKey, Store } from '@quartermaster/store';
import { CliError } from '../../errors.ts';
import type { Output, Surroundings } from '../../surroundings.ts';
import { loadCommandConfig, type CommandOptions } from '../setting-flags.ts';
import { formatCacheReport } from './format-cache-report.ts';

/** Prints the report of a session that no turn runs in: no agent, model or key is needed for it. */
export async function showStoredCacheReport(
  key: SessionKey,
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { folder } = loadCommandConfig(options, surroundings).config.store;
  const store = await openSqliteStore({ folder, clock: surroundings.clock });
  try {
    await showCacheReport(key, options, { store, surroundings, people: surroundings.out });
  } finally {
    await store.close();
  }
}

/** A table to `people`, or a line of JSON to stdout. Raises `CLI_UNKNOWN_SESSION`. */
export async function showCacheReport(
  key: SessionKey,
  { json }: CommandOptions,
  {
    store,
    surroundings,
    people,
  }: { readonly store: Store; readonly surroundings: Surroundings; readonly people: Output },
): Promise<void> {
  const report = await readReport(key, store, surroundings);
  if (json === true) surroundings.out.write(`${JSON.stringify({ type: 'cache-report', ...report })}\n`);
  else people.write(formatCacheReport(report));
}

async function readReport(key: SessionKey, store: Store, { clock, ids }: Surroundings): Promise<CacheReport> {
  try {
    return await createSessions({ store: store.sessions, clock, ids, host: readOwnerHost() }).cacheReport(
      key,
    );
  } catch (cause) {
    if (!(cause instanceof RuntimeError && cause.code === 'RUNTIME_SESSION_MISSING')) throw cause;
    throw new CliError(
      'CLI_UNKNOWN_SESSION',
      `expected a session of ${key.user}; there is no "${key.session}". A turn says how its session is called.`,
      { cause },
    );
  }
}
