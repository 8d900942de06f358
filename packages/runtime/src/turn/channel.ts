/** Values from whoever works to one reader, who sets the pace. */
export interface Channel<Value> {
  /** Resolves when the reader has taken it, or reads no more. */
  send(value: Value): Promise<void>;
  /** Ends the reader's loop after what was sent. */
  close(): void;
  /** Makes no sender wait from now on; what is sent can still be read. */
  hurry(): void;
  /** Lets every sender go on: nobody reads any more. */
  abandon(): void;
  read(): AsyncIterable<Value>;
}

/** An open channel for one reader. */
export function createChannel<Value>(): Channel<Value> {
  const waiting: { readonly value: Value; readonly taken: () => void }[] = [];
  let isClosed = false;
  let isHurried = false;
  let isAbandoned = false;
  let wake = (): void => {};

  async function* read(): AsyncGenerator<Value> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        next.taken();
        yield next.value;
      } else if (isClosed) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    send(value) {
      if (isAbandoned) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ value, taken: resolve });
      wake();
      return isHurried ? Promise.resolve() : promise;
    },
    close() {
      isClosed = true;
      wake();
    },
    hurry() {
      isHurried = true;
      for (const { taken } of waiting) taken();
    },
    abandon() {
      isAbandoned = true;
      for (const { taken } of waiting.splice(0)) taken();
    },
    read,
  };
}
