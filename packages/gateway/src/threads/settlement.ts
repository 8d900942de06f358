import type { ThreadKey, ThreadRecord, ThreadStore } from '@quartermaster/store';
import type { Log } from '../options.ts';
import { type Decision, parseDecision } from './decision.ts';

/** Writes over attempts that the store did not confirm in time what their threads were decided instead, until it confirms (O1). */
export interface Settlement {
  settle(record: ThreadRecord): void;
  /** What an unsettled thread was decided: its row in the store may still say otherwise. */
  decisionOf(key: ThreadKey): Decision | undefined;
  /** Tries once more and gives up the rest. */
  close(): Promise<void>;
}

/** After a first failure; the first try is made at once, since another gateway may read the row meanwhile. */
const firstWaitMs = 250;
const longestWaitMs = 30_000;

export function createSettlement({
  store,
  log,
  onTaken,
}: {
  readonly store: ThreadStore | undefined;
  readonly log: Log;
  /** Told of the row that stands where another attempt was first after all: it holds for the thread (O2). */
  readonly onTaken: (record: ThreadRecord) => void;
}): Settlement {
  const unsettled = new Map<string, ThreadRecord>();
  let timer: NodeJS.Timeout | undefined;
  let waitMs = 0;

  async function settleOne(record: ThreadRecord): Promise<void> {
    await store?.settle(record);
    const standing = await store?.read(record);
    if (standing !== undefined && standing.attempt !== record.attempt) onTaken(standing);
  }

  async function settleAll(): Promise<void> {
    for (const [id, record] of unsettled) {
      try {
        await settleOne(record);
        unsettled.delete(id);
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
        waitMs = unsettled.size === 0 ? 0 : Math.min(Math.max(waitMs * 2, firstWaitMs), longestWaitMs);
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
