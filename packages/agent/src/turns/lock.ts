/** Lets one at a time do its work, in the order of the calls. */
export interface Lock {
  /** An abort while it waits leaves the line; once `work` has begun it is held until `work` has ended. */
  hold<Result>(work: () => Promise<Result>, options: { readonly signal: AbortSignal }): Promise<Result>;
}

/** Makes a lock that nobody holds. Whoever holds it and waits for it waits for ever: see `createReentryGuard`. */
export function createLock(): Lock {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const enter = (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (isHeld) return waitIn(waiting, signal);
    isHeld = true;
    return Promise.resolve();
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) isHeld = false;
    else next(); // it stays held, so that nobody slips in before `next` has run
  };
  return {
    hold: async (work, { signal }) => {
      await enter(signal);
      try {
        signal.throwIfAborted(); // it may have come between the call of `next` and here
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function waitIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => {
    waiting.splice(waiting.indexOf(enter), 1);
    reject(signal.reason);
  };
  const enter = (): void => {
    signal.removeEventListener('abort', onAbort);
    resolve();
  };
  waiting.push(enter);
  signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}
