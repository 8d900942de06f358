import { setImmediate } from 'node:timers/promises';

/** Work that nobody waits for, one piece after the other in the order it came. */
export interface Background {
  /** Takes `work`, unless too much waits already. */
  push(work: () => Promise<void>): void;
  /** Resolves when everything pushed so far is done. */
  idle(): Promise<void>;
}

/** FA5. `onDrop` is told of each piece that was not taken or failed. */
export function createBackground({
  maxWaiting,
  onDrop,
}: {
  readonly maxWaiting: number;
  readonly onDrop: (error?: unknown) => void;
}): Background {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    push(work) {
      if (waiting >= maxWaiting) {
        onDrop();
        return;
      }
      waiting += 1;
      last = last
        // What is on its way to a client goes first.
        .then(() => setImmediate())
        .then(work)
        .catch(onDrop)
        .finally(() => {
          waiting -= 1;
        });
    },
    idle: () => last,
  };
}
