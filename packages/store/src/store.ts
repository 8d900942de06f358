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
  /** First writer wins. `deadlineMs` (epoch) travels with the statement: a late one inserts nothing. Never rejects. */
  claim(record: ThreadRecord, options: { readonly deadlineMs: number }): Promise<Claim>;
  /** Replaces the decision of the row that `attempt` wrote, or inserts it where there is none; a row of another attempt stays. */
  settle(record: ThreadRecord): Promise<void>;
  read(key: ThreadKey): Promise<ThreadRecord | undefined>;
  /** Renews the life of records that are in use (O10). */
  touch(keys: readonly ThreadKey[], nowMs: number): Promise<void>;
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

/** The durable memory of a gateway, of agents, or of several of them that share it. */
export interface Store {
  /** Where it is, for people: a path, never a credential. */
  readonly location: string;
  /** Random, made with the store and kept for its life: salts what is stored only as a hash. */
  readonly salt: string;
  readonly threads: ThreadStore;
  readonly openings: OpeningStore;
  readonly plans: PlanStore;
  readonly history: HistoryStore;
  readonly verdicts: VerdictStore;
  readonly knowledge: KnowledgeStore;
  readonly memory: MemoryStore;
  readonly tasks: SessionTaskStore;
  /** Finishes what is under way and lets go of the files. Twice is fine. */
  close(): Promise<void>;
}
