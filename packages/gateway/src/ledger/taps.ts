import type { IncomingMessage } from 'node:http';
import { tapAnswer, type Tapped } from '../tap/tap.ts';

/** The answers that are listened to on their way. */
export interface Taps {
  /** Tells `onTapped` what an answer said, once it is over. */
  listen(incoming: IncomingMessage, onTapped: (tapped: Tapped) => void): void;
  /** Resolves when those that have ended by now are told. */
  ended(): Promise<void>;
}

/** Listens to nothing yet; it forgets an answer when that is told. */
export function createTaps(): Taps {
  const taps = new Map<IncomingMessage, Promise<void>>();
  return {
    listen(incoming, onTapped) {
      const told = tapAnswer(incoming).then((tapped) => {
        taps.delete(incoming);
        onTapped(tapped);
      });
      taps.set(incoming, told);
    },
    async ended() {
      const over = [...taps].filter(([incoming]) => incoming.complete || incoming.destroyed);
      await Promise.all(over.map(([, told]) => told));
    },
  };
}
