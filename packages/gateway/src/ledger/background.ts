import { setImmediate } from 'node:timers/promises';

/** Work that nobody waits for, one piece after the other in the order it came. */
export interface Background {
  /** Takes `work`, which keeps about `bytes` alive until it is done, unless too much waits already. */
  push(work: () => Promise<void>, bytes?: number): void;
  /** Resolves when everything pushed so far is done. */
  idle(): Promise<void>;
}

/** What may wait at once (FA5). `onDrop` is told of each piece that was not taken or failed. */
export interface BackgroundOptions {
  readonly maxWaiting: number;
  readonly maxWaitingBytes: number;
  readonly onDrop: (error?: unknown) => void;
}

interface Piece {
  readonly work: () => Promise<void>;
  readonly bytes: number;
}

/** Of what waits, done in each turn of the event loop: one piece a turn would fall behind as soon as turns serve several requests. */
const sharePerTurn = 1 / 8;

export function createBackground({ maxWaiting, maxWaitingBytes, onDrop }: BackgroundOptions): Background {
  let waiting: Piece[] = [];
  let waitingBytes = 0;
  let working: Promise<void> | undefined;

  async function workUntilIdle(): Promise<void> {
    while (waiting.length > 0) {
      // What is on its way to a client goes first.
      await setImmediate();
      const taken = waiting.slice(0, Math.ceil(waiting.length * sharePerTurn));
      waiting = waiting.slice(taken.length);
      for (const { work, bytes } of taken) {
        await work().catch(onDrop);
        waitingBytes -= bytes;
      }
    }
    working = undefined;
  }

  return {
    push(work, bytes = 0) {
      if (waiting.length >= maxWaiting || waitingBytes + bytes > maxWaitingBytes) {
        onDrop();
        return;
      }
      waiting.push({ work, bytes });
      waitingBytes += bytes;
      working ??= workUntilIdle();
    },
    idle: () =>
      new Promise((resolve) => {
        if (working === undefined) resolve();
        else waiting.push({ work: async () => resolve(), bytes: 0 });
      }),
  };
}
