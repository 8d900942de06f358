import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { catalog } from '@quartermaster/catalog';
import { createGateway, type Log } from '@quartermaster/gateway';
import { openSqliteStore, type Store } from '@quartermaster/store';
import { localTools, usedBefore } from './tools.ts';

/** One arm of the run. */
export type Arm = 'deferred' | 'undeferred';

/** A gateway of its own, with a made-up account that never used most of the tools. */
export interface ArmGateway extends AsyncDisposable {
  /** For Anthropic clients. */
  readonly url: URL;
  /** What the check of this upstream and model says so far. */
  verdict(): Promise<string | undefined>;
  /** Threads that were deferred. */
  deferredUnits(): Promise<number>;
}

/** What a gateway of the run is made of. */
export interface ArmOptions {
  readonly upstream: URL;
  readonly model: string;
  readonly countTokens: (text: string) => number;
  /** Whether the check is known to have passed; else the first request starts one. */
  readonly isChecked: boolean;
}

const silence = (): void => undefined;
const silent: Log = { debug: silence, info: silence, warn: silence, error: silence };

/** Both arms go through a gateway, so that they differ in deferral alone. */
export async function openArm(arm: Arm, options: ArmOptions): Promise<ArmGateway> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-accuracy-'));
  const clock = { now: () => Date.now() };
  const store = await openSqliteStore({ folder, clock });
  await remember(store, options, clock.now());
  const gateway = createGateway({
    preset: 'ultrahigh',
    defer: arm === 'deferred' ? 'auto' : 'off',
    upstreams: { anthropic: options.upstream, openai: options.upstream, gemini: options.upstream },
    store,
    catalog,
    countTokens: options.countTokens,
    log: silent,
    clock,
    ids: randomUUID,
    limits: { claimMs: 5_000, readMs: 5_000 },
  });
  await gateway.ready;
  const server = http.createServer(gateway.listener);
  const origin = await listen(server);
  const stats = async (): Promise<Stats> => (await (await fetch(new URL('/stats', origin))).json()) as Stats;
  return {
    url: new URL('/anthropic/', origin),
    verdict: async () => (await stats()).tool_defer.verdicts[0]?.verdict,
    deferredUnits: async () => (await stats()).tool_defer.units_deferred,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await gateway.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Stats {
  readonly tool_defer: {
    readonly units_deferred: number;
    readonly verdicts: readonly { readonly verdict: string }[];
  };
}

/** RU2: three sessions that declared every tool and used those of `usedBefore`. */
async function remember(
  store: Store,
  { upstream, model, isChecked }: ArmOptions,
  nowMs: number,
): Promise<void> {
  const declared = localTools.map(({ declaration }) => declaration.name);
  const sessions = ['one', 'two', 'three'].map((session) => ({
    tenant: 'local',
    session,
    project: 'none',
    declared,
    used: usedBefore,
    lastActivityMs: nowMs,
  }));
  await store.history.save(sessions);
  if (!isChecked) return;
  const endpoint = upstream.href.replace(/\/(v1\/?)?$/, '');
  await store.verdicts.save({
    upstream: endpoint,
    model,
    route: '/v1/messages',
    verdict: 'pass',
    checkedAtMs: nowMs,
  });
}

function listen(server: http.Server): Promise<URL> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      resolve(new URL(`http://127.0.0.1:${port}`));
    });
  });
}
