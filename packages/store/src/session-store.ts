import type { SessionKey } from './agent-store.ts';

/** Whose sessions they are. */
export interface SessionOwner {
  readonly app: string;
  readonly user: string;
}

/** Tokens and money of a session, sub-sessions included; they only grow, also across a compaction. */
export interface SessionTotals {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** List price; what has no known price is counted in `unpricedAnswers`. */
  readonly costUsd: number;
  readonly unpricedAnswers: number;
}

/** One session without its items. */
export interface SessionRecord extends SessionKey {
  /** Empty until it is given one. */
  readonly title: string;
  /** The surface that it began on: `run`, `chat`, `api`… */
  readonly origin: string;
  /** The session that it works for, where it is a sub-session; such a one is in no list (RS1). */
  readonly parent: string | undefined;
  /** Epoch ms. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly totals: SessionTotals;
}

/** One entry of a session: appended, never changed (RS1). */
export interface SessionItem {
  /** Unique in its session. */
  readonly id: string;
  readonly type: 'message' | 'sub-session' | 'summary' | 'error';
  /** JSON text; the store never reads it. */
  readonly body: string;
  /** Epoch ms. */
  readonly atMs: number;
  /** The sub-session that it stands for; not in `body`, since that of a copy has another name. */
  readonly subSession?: string;
}

/** An item at its place: 0, 1, 2… without a gap. */
export interface StoredItem extends SessionItem {
  readonly position: number;
}

/** One call of a tool, by its place: the assistant message that asks for it, and its number there. */
export interface CallPlace {
  /** The item's id. */
  readonly item: string;
  readonly index: number;
}

/** What is known of a call: no row is a call that never began. */
export interface CallRecord extends CallPlace {
  /** JSON text; `undefined`: it began and has not ended. */
  readonly result: string | undefined;
}

/** The right to change a session: one turn at a time, of whatever process (L1). */
export interface TurnHold {
  readonly turn: string;
  /** Tells who holds it, so that another process can find out whether it is gone. */
  readonly owner: string;
  /** How long the hold lasts without being renewed. */
  readonly leaseMs: number;
}

/** What came of asking for the hold. `busy` names the turn that has it, whose it is, and when its lease ends (epoch ms). */
export type TurnBegin =
  | { readonly type: 'begun' }
  | { readonly type: 'busy'; readonly turn: string; readonly owner: string; readonly endsAtMs: number }
  | { readonly type: 'missing' };

/** A declaration of a tool as a session has frozen it (session-deferral D12). */
export interface FrozenDeclaration {
  /** Of the text; names it among all declarations of the user. */
  readonly digest: string;
  /** JSON text; the store never reads it. */
  readonly declaration: string;
}

/** What a session has deferred, and the declarations that it names. In no record, list or item (session-deferral D7). */
export interface StoredToolDeferrals {
  /** JSON text; the store never reads it. */
  readonly state: string;
  /** To save, those that no save before has named are enough: they add up until the next reset. */
  readonly declarations: readonly FrozenDeclaration[];
}

/** What came of an append that names its request. `repeated`: it was appended before; `conflict`: with another content. */
export type Append = { readonly type: 'appended' | 'repeated' | 'conflict' };

/** How a session is copied. */
export interface SessionCopy {
  readonly title: string;
  /** Epoch ms. */
  readonly atMs: number;
  /** 0 copies no item, the length of the session all. Default: all. */
  readonly beforePosition?: number;
  /**
   * Of a copy with `beforePosition`: the state that was found to hold for the copied items. It goes along where it
   * still is the stored one; otherwise the copy starts without. A copy without `beforePosition` always takes it along.
   */
  readonly toolDeferrals?: string;
}

/**
 * Conversations and what was done in them. Every write of a turn counts only while the turn holds its session, and is
 * refused whole with `STORE_TURN_LOST` otherwise: a process that was taken for dead can't write on, nor bring a deleted
 * session back. A turn whose lease ran out may write until another has taken its session.
 */
export interface SessionStore {
  /**
   * Whether it was made; false where there is one of that name. A sub-session is made by the turn that has its parent and
   * by no other, and what is written into it counts only as long as that turn has the parent too.
   */
  create(
    session: Omit<SessionRecord, 'totals' | 'updatedAtMs'>,
    options?: { readonly turn?: string },
  ): Promise<boolean>;
  read(key: SessionKey): Promise<SessionRecord | undefined>;
  /** Last used first, from after `before`, the last of another page; sub-sessions are in none. */
  list(
    owner: SessionOwner,
    options: { readonly limit: number; readonly before?: Pick<SessionRecord, 'updatedAtMs' | 'session'> },
  ): Promise<readonly SessionRecord[]>;
  rename(key: SessionKey, title: string): Promise<boolean>;
  /** With its sub-sessions, items, calls, receipts, plans and tasks, also while a turn runs; whether there was one. */
  delete(key: SessionKey): Promise<boolean>;
  /** In order, from `fromPosition` (default 0), at most `limit` (default: all). */
  items(
    key: SessionKey,
    options?: { readonly fromPosition?: number; readonly limit?: number },
  ): Promise<readonly StoredItem[]>;
  /** In the order of their items, then by index. */
  calls(key: SessionKey): Promise<readonly CallRecord[]>;

  /** Takes the hold where nobody has it, or where its lease ran out by the engine's clock; a turn that has it keeps it. */
  beginTurn(key: SessionKey, hold: TurnHold): Promise<TurnBegin>;
  /** Takes it from a turn whose owner is known to be gone; `busy` where another was faster. */
  takeTurn(key: SessionKey, hold: TurnHold, from: { readonly turn: string }): Promise<TurnBegin>;
  /** Whether the turn still has it: a lease that ran out may be renewed until another turn has taken the session. */
  renewTurn(key: SessionKey, hold: TurnHold): Promise<boolean>;
  /** Lets go of it; nothing where another turn has it. */
  endTurn(key: SessionKey, turn: string): Promise<void>;

  /** All of the items at the end, or none. A `request` makes a repetition of it do nothing (RS4). */
  append(
    key: SessionKey,
    turn: string,
    items: readonly SessionItem[],
    options?: {
      readonly request?: { readonly id: string; readonly contentHash: string };
      /** For the last of the items; added to the totals of the session and of those it works for. */
      readonly spent?: SessionTotals;
      /** Saved together with the items; `null` forgets it, as a compaction must in the same transaction (DP3). */
      readonly toolDeferrals?: StoredToolDeferrals | null;
    },
  ): Promise<Append>;
  /** Durable before the call runs; its item was appended before. Twice is fine. */
  startCall(key: SessionKey, turn: string, place: CallPlace): Promise<void>;
  /** The first result stands; a call that was refused may end without a start. */
  endCall(key: SessionKey, turn: string, place: CallPlace, result: string): Promise<void>;
  /** `undefined`: no baseline yet, as in a session of before there was one (DP1). */
  readToolDeferrals(key: SessionKey): Promise<StoredToolDeferrals | undefined>;
  saveToolDeferrals(key: SessionKey, turn: string, deferrals: StoredToolDeferrals): Promise<void>;
  /** Keeps a state that can't be read beside the session, where nothing uses it: there is no baseline then (DP4). */
  setToolDeferralsAside(key: SessionKey, turn: string): Promise<void>;

  /**
   * Copies items before `beforePosition` (default: all), their calls and the sub-sessions that they name into a new
   * session of the same user; whether it was made: false where there is no source, or one of the new name. In one
   * transaction with what a turn that runs meanwhile has written. A copied sub-session is named after the copy:
   * `<to>/<its name>`. The totals are what the copied items have spent. Receipts stay behind: a request may be sent to
   * both. Plan and tasks go along where all items do. Rejects with `STORE_BAD_POSITION` beyond the end.
   */
  copy(from: SessionKey, to: string, options: SessionCopy): Promise<boolean>;
}
