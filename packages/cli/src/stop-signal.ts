import type { Surroundings } from './surroundings.ts';

/** The wish to stop, as SIGTERM and SIGINT tell it. */
export interface StopSignal extends Disposable {
  /** Resolves at the first one. A second one ends the process at once, with exit code 1. */
  readonly asked: Promise<void>;
}

/** One Ctrl-C arrives twice where the terminal and a wrapper such as npm both deliver it; a person is slower. */
const sameSignalMs = 100;

type StopSurroundings = Pick<Surroundings, 'onStop' | 'exitNow' | 'err' | 'clock'>;

/** Listens from now on, so that a signal during a slow start is not lost. */
export function awaitStopSignal(surroundings: StopSurroundings): StopSignal {
  const { onStop, exitNow, err, clock } = surroundings;
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let firstMs: number | undefined;
  const release = onStop(() => {
    firstMs ??= clock.now();
    resolve();
    if (clock.now() - firstMs < sameSignalMs) return;
    err.write('stopped at once; what was under way is cut off\n');
    exitNow(1);
  });
  return { asked, [Symbol.dispose]: release };
}
