/** The time since the last byte of an answer. */
export interface SilenceWatch {
  /** Aborted by the caller, by too long a silence, or by `close`. */
  readonly signal: AbortSignal;
  /** Whether a request was sent. */
  hasAsked(): boolean;
  /** Whether an answer has begun. */
  hasAnswered(): boolean;
  /** Whether the silence was too long. */
  isSilent(): boolean;
  /** `fetch`, heard byte by byte: a vendor's pings are a sign of life that its SDK keeps to itself. */
  readonly fetch: typeof fetch;
  /** Stops the clock while the caller is busy with what came. */
  pause(): void;
  resume(): void;
  /** Lets go of the connection. */
  close(): void;
}

/** Watches one exchange; begun with its request. */
export function watchSilence(options: {
  readonly maxSilenceMs: number;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}): SilenceWatch {
  const over = new AbortController();
  let hasAsked = false;
  let hasAnswered = false;
  let isSilent = false;
  let isPaused = false;
  let heard = 0;
  const stop = (heardBefore: number): void => {
    if (isPaused || heard > heardBefore) return;
    isSilent = true;
    over.abort();
  };
  // After a stall of this process bytes may have come that nobody has read yet: they are read before the check.
  const timer = setTimeout(() => void setImmediate(stop, heard), options.maxSilenceMs);
  const hear = (): void => {
    hasAnswered = true;
    heard += 1;
    timer.refresh();
  };
  return {
    signal: AbortSignal.any([options.signal, over.signal]),
    hasAsked: () => hasAsked,
    hasAnswered: () => hasAnswered,
    isSilent: () => isSilent,
    fetch: async (input, init) => {
      hasAsked = true;
      return listenTo(await options.fetch(input, init), hear);
    },
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      heard += 1;
      timer.refresh();
    },
    close: () => {
      clearTimeout(timer);
      over.abort();
    },
  };
}

function listenTo(response: Response, hear: () => void): Response {
  hear();
  if (response.body === null) return response;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        hear();
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
