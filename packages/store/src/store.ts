import type { KnowledgeStore, MemoryStore, SessionTaskStore } from './agent-store.ts';
import type { StoreError } from './store-error.ts';

/** Names one conversation as the provider sees it. */
export interface ThreadKey {
  readonly tenant: string;
  readonly session: string;
  /** The client's agent id, or `main`. */
  readonly agent: string;
}

/** The decision of one thread as it is stored (O1). */
export interface ThreadRecord extends ThreadKey {
  /** The decision as JSON text; the store never reads it. */
  readonly decision: string;
  /** Epoch ms. */
  readonly decidedAtMs: number;
  /** Names the attempt that wrote the row (O1). */
  readonly attempt: string;
}

/**
 * `won`: the row is durable and ours. `taken`: another writer was first, `record` is its row.
 * `unconfirmed`: not known by the deadline; the row may stand or not, and only this attempt's may be overwritten.
 */
export type Claim =
  | { readonly type: 'won' | 'taken'; readonly record: ThreadRecord }
  | {
      readonly type: 'unconfirmed';
      readonly attempt: string;
      /** Why the store could not say; absent when it was only late. */
      readonly cause?: StoreError;
    };

/** The decisions of threads: written before use, never changed by a second writer (O1, O2). */
export interface ThreadStore {
  /**
   * First writer wins. `deadlineMs` (epoch) travels with the statement: a late one inserts nothing. A row decided before
   * `endedAtMs` counts for nothing and is replaced (O7); by default none is. Never rejects.
   */
  claim(
    record: ThreadRecord,
    options: { readonly deadlineMs: number; readonly endedAtMs?: number },
  ): Promise<Claim>;
  /** Replaces the decision of the row that `attempt` wrote, or inserts it where there is none; a row of another attempt stays. */
  settle(record: ThreadRecord): Promise<void>;
  /** Replaces the decision of the row that `attempt` wrote (RF2). No row, or one of another attempt, stays as it is. */
  replace(record: ThreadRecord): Promise<void>;
  read(key: ThreadKey): Promise<ThreadRecord | undefined>;
  /** Renews the life of records that are in use (O10). */
  touch(keys: readonly ThreadKey[], nowMs: number): Promise<void>;
  /** The records of all conversations in a session, the first decided first. */
  listSession(tenant: string, session: string): Promise<readonly ThreadRecord[]>;
  /** Whether the tenant has any record at all. */
  hasAny(tenant: string): Promise<boolean>;
  /** Deletes records whose last request came before `beforeMs`; answers how many. */
  deleteUnusedSince(beforeMs: number): Promise<number>;
}

/** How a conversation began, as a hash, and what was decided for it (O5). */
export interface OpeningRecord {
  readonly tenant: string;
  readonly fingerprint: string;
  /** The decision as JSON text; the store never reads it. */
  readonly decision: string;
  readonly usedAtMs: number;
}

/** By what a fork, or a resume under a new id, finds the decision of the conversation that it continues. */
export interface OpeningStore {
  /** The decision of the thread that began so. */
  find(tenant: string, fingerprint: string): Promise<string | undefined>;
  /** Keeps the first decision of an opening, and renews its life. */
  save(record: OpeningRecord): Promise<void>;
  /** Gives an opening that is known another decision (RF2): forks come to what their origin came to. */
  replace(record: OpeningRecord): Promise<void>;
  deleteUnusedSince(beforeMs: number): Promise<number>;
}

/** What the gateway took out of an answer, or would have to declare again, because of a tool search (Q2, Q3). */
export interface SearchTurnRecord extends ThreadKey {
  /** What a later transcript of the tenant shows of the answer, by which its record is found. */
  readonly anchor: string;
  /** The turn as JSON text; the store never reads it. */
  readonly turn: string;
  readonly usedAtMs: number;
}

/** The search turns of threads: durable before a client can go on from them. */
export interface SearchTurnStore {
  /** All or none. The first record of an anchor stands, only its life is renewed. */
  save(records: readonly SearchTurnRecord[]): Promise<void>;
  /** The tenant's records with one of these anchors, of whichever thread: a fork shows those of its origin. */
  find(tenant: string, anchors: readonly string[]): Promise<readonly SearchTurnRecord[]>;
  /** Renews the life of everything that belongs to these threads (O10). */
  touch(keys: readonly ThreadKey[], nowMs: number): Promise<void>;
  deleteUnusedSince(beforeMs: number): Promise<number>;
}

/** What new conversations of one kind defer for a day (O9). */
export interface PlanRecord {
  readonly tenant: string;
  /** Names the kind: project, client, model and declared tools, as a hash. */
  readonly fingerprint: string;
  readonly units: readonly string[];
  readonly madeAtMs: number;
}

/** The plans of a tenant: read once, written in the background. */
export interface PlanStore {
  /** The tenant's plans, oldest first. */
  load(tenant: string): Promise<readonly PlanRecord[]>;
  save(record: PlanRecord): Promise<void>;
  deleteMadeBefore(beforeMs: number): Promise<number>;
}

/** What one session declared and used, by tool name (HI1). */
export interface SessionHistory {
  readonly tenant: string;
  readonly session: string;
  readonly project: string;
  readonly declared: readonly string[];
  readonly used: readonly string[];
  readonly lastActivityMs: number;
}

/** Which tools the sessions of a tenant declared and used, written in the background (HI1–HI4). */
export interface HistoryStore {
  /** The tenant's sessions, newest first by last activity. */
  load(tenant: string): Promise<readonly SessionHistory[]>;
  /** Inserts or replaces by (tenant, session, project). */
  save(rows: readonly SessionHistory[]): Promise<void>;
  /** Deletes the tenant's oldest rows beyond `kept` (HI2); answers how many. */
  trim(tenant: string, kept: KeptHistory): Promise<number>;
  deleteUnusedSince(beforeMs: number): Promise<number>;
}

/** How much of a tenant's history stays: its newest rows, and beside them the newest of each of its newest projects. */
export interface KeptHistory {
  readonly sessions: number;
  readonly projects: number;
  readonly sessionsPerProject: number;
}

/** The last known outcome of a check (CH3). */
export interface VerdictRecord {
  readonly upstream: string;
  readonly model: string;
  readonly route: string;
  readonly verdict: 'pass' | 'fail';
  readonly checkedAtMs: number;
}

/** The verdicts of checks; they describe an endpoint and belong to no tenant (CH3, CH7). */
export interface VerdictStore {
  /** Oldest check first. */
  load(): Promise<readonly VerdictRecord[]>;
  save(record: VerdictRecord): Promise<void>;
  delete(key: Pick<VerdictRecord, 'upstream' | 'model' | 'route'>): Promise<void>;
}

/** One understood request as it was billed. `null`: not known, which is not 0. Never a word of it. */
export interface RequestRecord extends ThreadKey {
  readonly project: string;
  readonly client: string;
  /** As the request names it. */
  readonly model: string;
  /** Epoch ms, when it was sent on. */
  readonly atMs: number;
  /** The answer's. */
  readonly status: number;
  /** The thread's decision, or that it could not be read. */
  readonly decision: 'defer' | 'remove' | 'nothing' | 'unreadable';
  readonly reason: string | null;
  /** Tokens as the provider told them. */
  readonly inputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteShortTokens: number | null;
  readonly cacheWriteLongTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
  /** What deferral saved, and what it would have saved; never both (LE5). */
  readonly netTokens: number | null;
  readonly netUsd: number | null;
  readonly projectedTokens: number | null;
  readonly projectedUsd: number | null;
  readonly searches: number;
  readonly droppedSearches: number;
  readonly wrongGuesses: number;
  /** Rounds that the provider refused before this answer (RF6). */
  readonly refusedRounds: number;
}

/** A part of one of the ledger's sums. */
export interface LedgerAmount {
  readonly tenant: string;
  /** Days since the epoch, UTC. */
  readonly day: number;
  readonly name: string;
  readonly amount: number;
}

/** An entry that the ledger believes a provider's prompt cache to hold, or to have held without deferral. */
export interface CacheEntryRecord {
  readonly tenant: string;
  readonly arm: 'deferred' | 'undeferred';
  /** Of the prefix; no text of it. */
  readonly hash: string;
  readonly tokens: number;
  readonly lifeMs: number;
  /** Epoch ms. */
  readonly endsAtMs: number;
}

/** Request records and the ledger's sums, written in the background (LE1–LE6). */
export interface LedgerStore {
  /** Adds records, and amounts to their sums; all or nothing. */
  append(records: readonly RequestRecord[], amounts: readonly LedgerAmount[]): Promise<void>;
  /** The tenant's newest records, newest first. */
  records(
    tenant: string,
    options: { readonly limit: number; readonly session?: string },
  ): Promise<readonly RequestRecord[]>;
  /** The tenant's sums by day and name. */
  sums(tenant: string, options: { readonly sinceDay: number }): Promise<readonly LedgerAmount[]>;
  /** Deletes the oldest records beyond these bounds (FA5); answers how many. */
  trim(kept: { readonly rows: number; readonly bytes: number }): Promise<number>;
  /** Inserts or replaces, so that a restart within a cache's life does not forget it. */
  saveCacheEntries(entries: readonly CacheEntryRecord[]): Promise<void>;
  /** The tenant's entries that live at `nowMs`, those that end first first. */
  cacheEntries(tenant: string, nowMs: number): Promise<readonly CacheEntryRecord[]>;
  /** Answers how many. */
  deleteCacheEntriesEndedBefore(nowMs: number): Promise<number>;
  /** Deletes what is older, sums by whole days; answers how many rows. */
  deleteBefore(beforeMs: number): Promise<number>;
  deleteTenant(tenant: string): Promise<number>;
}

/** Deferral is off for new threads of a tenant on a model since a proof that it broke a request (RF2). */
export interface TurnOffRecord {
  readonly tenant: string;
  readonly model: string;
  /** Epoch ms. */
  readonly startedAtMs: number;
}

/** The turn-offs, written in the background. */
export interface TurnOffStore {
  /** The tenant's, the oldest first. */
  load(tenant: string): Promise<readonly TurnOffRecord[]>;
  /** Inserts it, or moves its start to a later time. */
  save(record: TurnOffRecord): Promise<void>;
  /** Deletes all but the tenant's newest `kept`; answers how many. */
  trim(tenant: string, kept: number): Promise<number>;
  deleteStartedBefore(beforeMs: number): Promise<number>;
}

/** A client's wish not to have deferral in one session (SG1). */
export interface OptOutRecord {
  readonly tenant: string;
  readonly session: string;
  /** Whether it waits for the session's first request (SG2). */
  readonly isPending: boolean;
  /** Epoch ms: of the wish, then of the session's last request. */
  readonly usedAtMs: number;
}

/** The opt-outs, waiting ones too. */
export interface OptOutStore {
  /** The tenant's, least lately used first. */
  load(tenant: string): Promise<readonly OptOutRecord[]>;
  find(tenant: string, session: string): Promise<OptOutRecord | undefined>;
  /** Inserts or renews. What was taken by its session never waits again. */
  save(records: readonly OptOutRecord[]): Promise<void>;
  /** Deletes the tenant's oldest waiting ones beyond `kept`; answers how many. */
  trimPending(tenant: string, kept: number): Promise<number>;
  /** Deletes what was last used before `beforeMs`, and what has waited since before `pendingBeforeMs`; answers how many. */
  deleteUnusedSince(times: { readonly beforeMs: number; readonly pendingBeforeMs: number }): Promise<number>;
}

/** What one account has set by command, over the defaults of its gateway (PR2). */
export interface SettingsRecord {
  readonly tenant: string;
  /** The settings as JSON text; the store never reads it. */
  readonly settings: string;
  readonly changedAtMs: number;
}

/** The settings of accounts: written before they count. */
export interface SettingsStore {
  read(tenant: string): Promise<SettingsRecord | undefined>;
  /**
   * Writes the record where the stored text still is `expected` (`undefined`: where there is none yet). Answers
   * whether it did: if not, another writer was first, and the caller reads again.
   */
  replace(record: SettingsRecord, expected: string | undefined): Promise<boolean>;
}

/** The durable memory of a gateway, of agents, or of several of them that share it. */
export interface Store {
  /** Where it is, for people: a path, never a credential. */
  readonly location: string;
  /** Random, made with the store and kept for its life: salts what is stored only as a hash. */
  readonly salt: string;
  readonly threads: ThreadStore;
  readonly openings: OpeningStore;
  readonly searchTurns: SearchTurnStore;
  readonly plans: PlanStore;
  readonly history: HistoryStore;
  readonly verdicts: VerdictStore;
  readonly ledger: LedgerStore;
  readonly turnOffs: TurnOffStore;
  readonly optOuts: OptOutStore;
  readonly settings: SettingsStore;
  readonly knowledge: KnowledgeStore;
  readonly memory: MemoryStore;
  readonly tasks: SessionTaskStore;
  /** Finishes what is under way and lets go of the files. Twice is fine. */
  close(): Promise<void>;
}
