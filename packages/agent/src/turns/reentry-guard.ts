import { AsyncLocalStorage } from 'node:async_hooks';
import { NestedTurnError } from './turn-errors.ts';

/** Knows which code runs inside of a piece of work, however many awaits later (L1). */
export interface ReentryGuard {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Whether the caller runs inside of work that has not ended yet. */
  isInside(): boolean;
  /** Throws `NestedTurnError` there. */
  refuse(action: string): void;
}

interface Inside {
  isOver: boolean;
  readonly outer: Inside | undefined;
}

/** Makes a guard that nobody is inside of. */
export function createReentryGuard(): ReentryGuard {
  const current = new AsyncLocalStorage<Inside>();
  const isInside = (): boolean => findLive(current.getStore()) !== undefined;
  return {
    run: async (work) => {
      const inside = { isOver: false, outer: findLive(current.getStore()) };
      try {
        return await current.run(inside, work);
      } finally {
        inside.isOver = true;
      }
    },
    isInside,
    refuse: (action) => {
      if (isInside()) throw new NestedTurnError(action);
    },
  };
}

/** What was left running may outlive the work that began it, and waits for nobody then. */
function findLive(inside: Inside | undefined): Inside | undefined {
  return inside?.isOver === true ? findLive(inside.outer) : inside;
}
