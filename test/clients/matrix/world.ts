import { cp, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatewayProcess } from '../gateway-process.ts';
import type { GatewayProcess } from '../gateway-process.ts';
import { startRecorder } from '../recorder.ts';
import type { Recorder } from '../recorder.ts';
import { hasPassedCheck, until } from '../until.ts';
import { startUpstream } from '../upstream.ts';
import type { Upstream } from '../upstream.ts';

/** A provider, and the way to it. The client's base URL stays the same for all stories. */
export interface World extends AsyncDisposable {
  readonly recorder: Recorder;
  readonly upstream: Upstream;
  /** Opens the way for the sessions that the gateway learns from; to be called once, before any story. */
  learn(playSessions: () => Promise<void>): Promise<void>;
  /** Opens the way for one story: nothing that another story did is known to the gateway. */
  openStory(): Promise<Way>;
}

export interface Way extends AsyncDisposable {
  /** Why threads were decided "nothing", and how many, as the gateway counts them. */
  nothingReasons(): Promise<unknown>;
}

/** The simulator alone, which verifies thinking blocks. */
export async function openDirectWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startUpstream());
  const recorder = stack.use(await startRecorder(upstream.url));
  const opened = stack.move();
  return {
    recorder,
    upstream,
    // The provider has no memory of sessions.
    learn: async () => {},
    openStory: async () => ({ nothingReasons: async () => undefined, async [Symbol.asyncDispose]() {} }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const checkDeadlineMs = 60_000;

/** The simulator behind `qm gateway --preset ultrahigh`; each story gets a gateway on a copy of what was learnt. */
export async function openGatewayWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startUpstream());
  const recorder = stack.use(await startRecorder(upstream.url));
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'qm-store-'))).path;
  const learnt = join(folder, 'learnt');
  let stories = 0;
  const start = async (store: string): Promise<GatewayProcess> => {
    const gateway = await startGatewayProcess({ anthropicUpstream: upstream.url, store, port: 0 });
    recorder.retarget(gateway.anthropicUrl);
    return gateway;
  };
  const opened = stack.move();
  return {
    recorder,
    upstream,
    async learn(playSessions) {
      await using gateway = await start(learnt);
      await playSessions();
      await until('a passed check', async () => hasPassedCheck(await gateway.stats()), checkDeadlineMs);
      await gateway.stop();
    },
    async openStory() {
      stories += 1;
      const store = join(folder, `story-${stories}`);
      await cp(learnt, store, { recursive: true });
      const gateway = await start(store);
      return {
        nothingReasons: async () => nothingReasonsIn(await gateway.stats()),
        [Symbol.asyncDispose]: () => gateway.kill(),
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function nothingReasonsIn(stats: unknown): unknown {
  return (stats as { readonly tool_defer?: { readonly nothing_reasons?: unknown } }).tool_defer
    ?.nothing_reasons;
}
