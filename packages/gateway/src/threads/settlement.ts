import type { ThreadKey, ThreadRecord, ThreadStore } from '@quartermaster/store';
import type { Log } from '../options.ts';
import { type Decision, parseDecision } from './decision.ts';

/** Writes "nothing" over what a thread's record may say, again and again until the store has confirmed it. */
export interface Settlement {
  /** Of an attempt that the store did not confirm in time, so that its row may stand or not (O1). */
  settle(record: ThreadRecord): void;
  /** Of a row that stands, and that the provider would not have (RF2). */
  replace(record: ThreadRecord): void;
  /** What an unsettled thread was decided: its row in the store may still say otherwise. */
  decisionOf(key: ThreadKey): Decision | undefined;
  /** Tries once more and gives up the rest. */
  close(): Promise<void>;
}

interface Unsettled {
  readonly write: 'settle' | 'replace';
  readonly record: ThreadRecord;
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
  const unsettled = new Map<string, Unsettled>();
  let timer: NodeJS.Timeout | undefined;
  let waitMs = firstWaitMs;

  async function settleAll(): Promise<void> {
    for (const [id, entry] of unsettled) {
      try {
        await store?.[entry.write](entry.record);
        // What came meanwhile is still to be written.
        if (unsettled.get(id) === entry) unsettled.delete(id);
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

  function add(entry: Unsettled): void {
    unsettled.set(idOf(entry.record), entry);
    schedule();
  }

  return {
    settle: (record) => add({ write: 'settle', record }),
    replace: (record) => add({ write: 'replace', record }),
    decisionOf(key) {
      const entry = unsettled.get(idOf(key));
      return entry === undefined ? undefined : parseDecision(entry.record.decision);
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
