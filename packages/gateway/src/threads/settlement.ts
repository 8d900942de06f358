import type { ThreadKey, ThreadRecord, ThreadStore } from '@quartermaster/store';
import type { Log } from '../options.ts';
import { type Decision, parseDecision } from './decision.ts';

/** Writes "nothing" over attempts that the store did not confirm in time, until it has confirmed that (O1). */
export interface Settlement {
  settle(record: ThreadRecord): void;
  /** What an unsettled thread was decided: its row in the store may still say otherwise. */
  decisionOf(key: ThreadKey): Decision | undefined;
  /** Tries once more and gives up the rest. */
  close(): Promise<void>;
}

const firstWaitMs = 250;
const longestWaitMs = 30_000;

export function createSettlement({
  store,
  log,
}: {
  readonly store: ThreadStore | undefined;
  readonly log: Log;
}): Settlement {
  const unsettled = new Map<string, ThreadRecord>();
  let timer: NodeJS.Timeout | undefined;
  let waitMs = firstWaitMs;

  async function settleAll(): Promise<void> {
    for (const [id, record] of unsettled) {
      try {
        await store?.settle(record);
        unsettled.delete(id);
        waitMs = firstWaitMs;
      } catch (error) {
        log.debug({ error: nameOf(error) }, 'a thread record is not settled yet');
        return;
      }
    }
  }

  function schedule(): void {
    if (timer !== undefined || unsettled.size === 0) return;
    timer = setTimeout(() => {
      void settleAll().finally(() => {
        timer = undefined;
        waitMs = Math.min(waitMs * 2, longestWaitMs);
        schedule();
      });
    }, waitMs);
    timer.unref();
  }

  return {
    settle(record) {
      unsettled.set(idOf(record), record);
      schedule();
    },
    decisionOf(key) {
      const record = unsettled.get(idOf(key));
      return record === undefined ? undefined : parseDecision(record.decision);
    },
    async close() {
      clearTimeout(timer);
      await settleAll();
      if (unsettled.size > 0) {
        log.warn({ threads: unsettled.size }, 'thread records could not be settled before the end');
      }
    },
  };
}

function idOf({ tenant, session, agent }: ThreadKey): string {
  return JSON.stringify([tenant, session, agent]);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
