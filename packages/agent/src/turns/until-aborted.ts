/**
 * What `work` gives, or a rejection with the signal's reason as soon as that is aborted. The work itself goes on, and
 * whoever began it owns its end.
 */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** For whoever gave no signal. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
