import type { ThreadKey } from '@quartermaster/store';
import { setYoungest } from '../drop-oldest.ts';
import type { Clock } from '../options.ts';
import type { SearchTurn } from './turn.ts';

/** What is known of one anchor. */
interface Known {
  readonly turn: SearchTurn | undefined;
  /** The thread that it belongs to: a use by a fork of that one is a use of it. */
  readonly thread: ThreadKey;
  /** When the store was first found to have none; absent where this gateway knows by itself. */
  readonly missedAtMs?: number;
  /** Whether the store need not be asked again. */
  readonly isSure: boolean;
}

/** The turns in memory, by tenant and anchor. */
export interface KnownTurns {
  get(tenant: string, anchor: string): Known | undefined;
  /** `undefined`: this anchor has no turn, as the gateway itself saw. */
  learn(thread: ThreadKey, anchor: string, turn: SearchTurn | undefined): void;
  /** The store has none. */
  miss(tenant: string, anchor: string): void;
}

/** Anchors in memory, most of which have no turn; what falls out is read again. */
const maxKnown = 20_000;
/** What the store lacks another gateway may still be trying to write, every few seconds. */
const lateWriteMs = 15_000;

export function createKnownTurns(clock: Clock): KnownTurns {
  const known = new Map<string, Known>();

  const set = (id: string, entry: Known): void => void setYoungest(known, id, entry, maxKnown);

  return {
    get: (tenant, anchor) => known.get(idOf(tenant, anchor)),
    learn: (thread, anchor, turn) => set(idOf(thread.tenant, anchor), { turn, thread, isSure: true }),
    miss(tenant, anchor) {
      const id = idOf(tenant, anchor);
      const before = known.get(id);
      // What is not written yet is not gone.
      if (before?.turn !== undefined) return;
      const missedAtMs = before?.missedAtMs ?? clock.now();
      const isSure = clock.now() - missedAtMs >= lateWriteMs;
      set(id, { turn: undefined, thread: { tenant, session: '', agent: '' }, missedAtMs, isSure });
    },
  };
}

function idOf(tenant: string, anchor: string): string {
  return JSON.stringify([tenant, anchor]);
}
