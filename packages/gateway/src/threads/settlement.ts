import type { ThreadKey, ThreadRecord, ThreadStore } from '@quartermaster/store';
import { threadId } from './thread-id.ts';
import { nameOf } from '../errors.ts';
import type { Log } from '../options.ts';
import { type Decision, parseDecision } from './decision.ts';

/** Writes over what a thread's record may say what holds for it, again and again until the store has confirmed it. */
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

/** After a first failure. The first try is made at once: another gateway may read the row meanwhile. */
const firstWaitMs = 250;
const longestWaitMs = 30_000;

/** Empty. Its timer keeps no process alive. */
export function createSettlement({
  store,
  log,
  onTaken,
}: {
  readonly store: ThreadStore | undefined;
  readonly log: Log;
  /** Told of the row that stands where another attempt than `attempt` was first after all (O2). */
  readonly onTaken: (row: ThreadRecord, attempt: string) => void;
}): Settlement {
  const unsettled = new Map<string, Unsettled>();
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;
  let waitMs = 0;

  async function write({ write: name, record }: Unsettled): Promise<void> {
    await store?.[name](record);
    if (name === 'replace') return;
    const row = await store?.read(record);
    if (row !== undefined && row.attempt !== record.attempt) onTaken(row, record.attempt);
  }

  async function settleAll(): Promise<void> {
    for (const [id, entry] of unsettled) {
      try {
        await write(entry);
        // What came meanwhile is still to be written.
        if (unsettled.get(id) === entry) unsettled.delete(id);
      } catch (error) {
        log.debug({ error: nameOf(error) }, 'a thread record is not settled yet');
        return;
      }
    }
  }

  function schedule(): void {
    if (isScheduled || unsettled.size === 0) return;
    isScheduled = true;
    if (waitMs === 0) void settleAgain();
    else timer = setTimeout(() => void settleAgain(), waitMs).unref();
  }

  async function settleAgain(): Promise<void> {
    await settleAll();
    isScheduled = false;
    waitMs = unsettled.size === 0 ? 0 : Math.min(Math.max(waitMs * 2, firstWaitMs), longestWaitMs);
    schedule();
  }

  function add(entry: Unsettled): void {
    unsettled.set(threadId(entry.record), entry);
    schedule();
  }

  return {
    settle: (record) => add({ write: 'settle', record }),
    replace: (record) => add({ write: 'replace', record }),
    decisionOf(key) {
      const entry = unsettled.get(threadId(key));
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
