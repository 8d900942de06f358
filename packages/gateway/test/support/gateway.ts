import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { catalog } from '@quartermaster/catalog';
import { openSqliteStore, type Store } from '@quartermaster/store';
import { createGateway, type Gateway, type GatewayOptions, type Log } from '../../src/index.ts';
import { type RunningServer, startServer } from './server.ts';

/** One line that the gateway logged. */
export interface LogLine {
  readonly level: keyof Log;
  readonly facts: object;
  readonly message: string;
}

export interface RunningGateway extends AsyncDisposable {
  readonly url: URL;
  readonly gateway: Gateway;
  readonly lines: readonly LogLine[];
  /** The JSON of `/stats`. */
  stats(): Promise<Stats>;
}

export interface Stats {
  readonly requests: number;
  readonly own_errors: Readonly<Record<string, number>>;
  readonly tool_defer: {
    readonly threads_decided: number;
    readonly units_deferred: number;
    readonly requests_rewritten: number;
    readonly unchanged_reasons: Readonly<Record<string, number>>;
    readonly nothing_reasons: Readonly<Record<string, number>>;
    readonly record_unreadable: number;
    readonly flips: number;
    readonly bypasses: number;
    readonly retries_400: number;
    readonly turned_off: number;
    readonly asks: number;
    readonly rebuilds: number;
    readonly net_tokens: number | null;
    readonly net_usd: number | null;
    readonly projected_tokens: number | null;
    readonly projected_usd: number | null;
    readonly requests_booked: number;
    readonly requests_unknown: number;
    readonly searches: number;
    readonly dropped_searches: number;
    readonly wrong_guesses: number;
    readonly queue_drops: number;
    readonly arms: Readonly<
      Record<'deferred' | 'holdout', { threads: number; requests: number; usd: number | null }>
    > | null;
    readonly projected: Readonly<Record<string, number>> | null;
    readonly verdicts: readonly { readonly verdict: string; readonly model: string }[];
  };
}

/** A gateway on its own port in front of `upstream`, with whatever else a test sets. */
export async function startGateway(
  upstream: URL,
  options: Partial<GatewayOptions> & Pick<GatewayOptions, 'preset'>,
): Promise<RunningGateway> {
  const lines: LogLine[] = [];
  const logAt =
    (level: keyof Log) =>
    (facts: object, message: string): void => {
      lines.push({ level, facts, message });
    };
  const gateway = createGateway({
    upstreams: { anthropic: upstream, openai: upstream, gemini: upstream },
    store: { absent: 'not-configured', detail: 'a test without a store' },
    catalog,
    countTokens: (text) => Math.ceil(text.length / 4),
    log: { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    clock: { now: () => Date.now() },
    ids: randomUUID,
    ...options,
    // On a busy machine the store may take longer than a user should wait for it (O1, O3).
    limits: { claimMs: 10_000, readMs: 10_000, rereadMs: 10_000, ...options.limits },
  });
  await gateway.ready;
  const running: RunningServer = await startServer(gateway.listener);
  running.server.on('checkContinue', gateway.checkContinue);
  running.server.on('upgrade', gateway.upgrade);
  return {
    url: running.url,
    gateway,
    lines,
    stats: async () => (await (await fetch(new URL('/stats', running.url))).json()) as Stats,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await gateway.close();
    },
  };
}

/** A SQLite store in a folder of its own; both end with the test. */
export async function openTemporaryStore(): Promise<
  AsyncDisposable & { readonly store: Store; readonly folder: string }
> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-gateway-'));
  const store = await openSqliteStore({ folder, clock: { now: () => Date.now() } });
  return {
    store,
    folder,
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
