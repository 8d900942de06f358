import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readHost } from '@quartermaster/agent/services';
import type { ServiceOptions } from '@quartermaster/agent/services';
import { openSqliteStore } from '@quartermaster/store';
import type { Store } from '@quartermaster/store';

/** A store and a folder of its own, for one test. */
export interface TemporaryStore extends AsyncDisposable {
  readonly folder: string;
  readonly store: Store;
  /** Services over it: a clock that ticks once a second, ids that count. */
  options(changes?: Partial<ServiceOptions>): ServiceOptions;
}

export async function openTemporaryStore(): Promise<TemporaryStore> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-agent-'));
  const store = await openSqliteStore({ folder, clock: Date });
  let ticks = 0;
  return {
    folder,
    store,
    options: (changes = {}) => ({
      store,
      session: { app: 'app', user: 'alice', session: 'ses' },
      project: 'alpha',
      clock: { now: () => (ticks += 1) * 1_000 },
      ids: () => `id-${(ticks += 1)}`,
      fetch: () => Promise.reject(new Error('no network in this test')),
      codeExecutor: { host: readHost() },
      ...changes,
    }),
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
