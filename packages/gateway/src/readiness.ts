import type { Store } from '@quartermaster/store';
import type { Upstream } from './http/upstream.ts';
import type { Clock } from './options.ts';

/** A probe of every replica each second must not become a request a second at the provider. */
const answerHoldsMs = 5_000;
const timeoutMs = 3_000;

/** Asks whether requests could be served: the store answers and the provider's host does. Says what is missing. */
export function createReadiness({
  store,
  upstream,
  clock,
}: {
  readonly store: Store | undefined;
  readonly upstream: Upstream;
  readonly clock: Clock;
}): () => Promise<string | undefined> {
  let last: { readonly atMs: number; readonly answer: Promise<string | undefined> } | undefined;

  async function find(): Promise<string | undefined> {
    const [isStoreUp, isUpstreamUp] = await Promise.all([
      answersInTime(readNothing(store)),
      reaches(upstream),
    ]);
    if (!isStoreUp) return 'the store does not answer';
    return isUpstreamUp ? undefined : `${upstream.name} can't be reached`;
  }

  return () => {
    const nowMs = clock.now();
    if (last === undefined || nowMs - last.atMs >= answerHoldsMs || nowMs < last.atMs) {
      last = { atMs: nowMs, answer: find() };
    }
    return last.answer;
  };
}

async function readNothing(store: Store | undefined): Promise<void> {
  await store?.threads.read({ tenant: '', session: '', agent: '' });
}

/** Any answer will do, whatever its status: it comes from the host. */
function reaches(upstream: Upstream): Promise<boolean> {
  return new Promise((resolve) => {
    const request = upstream.open({ method: 'HEAD', path: '/', headers: ['Host', upstream.host] });
    const timer = setTimeout(() => request.destroy(), timeoutMs);
    request.once('response', (response) => {
      response.resume();
      resolve(true);
    });
    request.once('error', () => resolve(false));
    request.once('close', () => clearTimeout(timer));
    request.end();
  });
}

async function answersInTime(work: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), timeoutMs);
  const done = work.then(
    () => true,
    () => false,
  );
  const isUp = await Promise.race([done, late]);
  clearTimeout(timer);
  return isUp;
}
