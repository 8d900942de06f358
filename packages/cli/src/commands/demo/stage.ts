import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { catalog } from '@quartermaster/catalog';
import { createGateway } from '@quartermaster/gateway';
import { createSimulator, type Simulator } from '@quartermaster/simulator';
import { openSqliteStore } from '@quartermaster/store';
import { createLog } from '../../log.ts';
import { startServer } from '../../server.ts';
import type { Surroundings } from '../../surroundings.ts';

const patienceMs = 5_000;

/** A simulated provider on a free port of 127.0.0.1. */
export interface Provider extends AsyncDisposable {
  readonly url: string;
  readonly simulator: Simulator;
  /** Lets its caches age. */
  advance(ms: number): void;
}

/** A gateway on a free port of 127.0.0.1, with a store in a folder that goes with it. */
export interface RunningGateway extends AsyncDisposable {
  readonly url: string;
}

interface StageOptions {
  readonly surroundings: Surroundings;
  readonly countTokens: (text: string) => number;
}

const local = { host: '127.0.0.1', port: 0 };
const drainMs = 1_000;

/** Starts a provider whose clock the demo can move on. */
export async function startProvider({ surroundings, countTokens }: StageOptions): Promise<Provider> {
  let aheadMs = 0;
  const clock = { now: () => surroundings.clock.now() + aheadMs };
  const simulator = createSimulator({ catalog, clock, countTokens, binding: true });
  const server = await startServer(simulator, local);
  return {
    url: server.url,
    simulator,
    advance: (ms) => {
      aheadMs += ms;
    },
    async [Symbol.asyncDispose]() {
      await server.drain(drainMs);
    },
  };
}

/** Starts a gateway in preset `ultrahigh` before `provider`. */
export async function startGateway(provider: Provider, options: StageOptions): Promise<RunningGateway> {
  const { clock, ids, err } = options.surroundings;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-demo-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const store = await openSqliteStore({ folder, clock });
  stack.defer(() => store.close());
  const upstream = new URL(provider.url);
  const gateway = createGateway({
    preset: 'ultrahigh',
    upstreams: { anthropic: upstream, openai: upstream, gemini: upstream },
    store,
    catalog,
    countTokens: options.countTokens,
    log: createLog({ level: 'warn', output: err, clock }),
    clock,
    ids,
    // The demo shows what deferral does, on a busy machine too; the default gives a slow disk up sooner (O1).
    limits: { claimMs: patienceMs, readMs: patienceMs },
  });
  stack.defer(() => gateway.close());
  await gateway.ready;
  const server = await startServer(gateway, local);
  stack.defer(() => server.drain(drainMs).then(() => {}));
  const owned = stack.move();
  return { url: server.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
