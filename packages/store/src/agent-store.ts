/** Whose knowledge it is: that of a project, or of a user whatever the project. */
export interface KnowledgeOwner {
  readonly app: string;
  readonly kind: 'project' | 'user';
  readonly id: string;
}

/** A text that was added, without the text. */
export interface DocumentRecord {
  readonly id: string;
  readonly title: string;
  /** Where it came from, for people. */
  readonly source: string;
  /** Epoch ms. */
  readonly addedAtMs: number;
}

/** A part of a document that is found by itself. */
export interface PassageRecord {
  readonly text: string;
  /** What it is found by: words with spaces between them, so that a text without spaces is found too (S2). */
  readonly words: string;
}

/** A passage that has one of the words, with its document. */
export interface PassageHit {
  readonly document: DocumentRecord;
  readonly text: string;
  /** Higher is better; comparable within one search only. */
  readonly score: number;
}

/** Documents and their passages, ranked in full text (S2). Nothing of one owner is ever read for another. */
export interface KnowledgeStore {
  /** Replaces the owner's document of that id with all its passages. */
  save(
    owner: KnowledgeOwner,
    document: DocumentRecord & { readonly text: string },
    passages: readonly PassageRecord[],
  ): Promise<void>;
  /** The passages with any of `words`, best first; none for no words. */
  search(owner: KnowledgeOwner, words: readonly string[], limit: number): Promise<readonly PassageHit[]>;
  /** Newest first. */
  list(owner: KnowledgeOwner): Promise<readonly DocumentRecord[]>;
  /** The whole text, as it was saved. */
  read(owner: KnowledgeOwner, id: string): Promise<string | undefined>;
  /** Whether there was one. */
  delete(owner: KnowledgeOwner, id: string): Promise<boolean>;
}

/** Whose memory it is. */
export interface MemoryOwner {
  readonly app: string;
  readonly user: string;
}

/** One thing that is remembered about a user. */
export interface MemoryRecord {
  readonly id: string;
  readonly text: string;
  /** Epoch ms. */
  readonly rememberedAtMs: number;
}

/** What is remembered about users, ranked like knowledge. */
export interface MemoryStore {
  save(owner: MemoryOwner, record: MemoryRecord & { readonly words: string }): Promise<void>;
  /** The entries with any of `words`, best first; none for no words. */
  search(owner: MemoryOwner, words: readonly string[], limit: number): Promise<readonly MemoryRecord[]>;
  /** Newest first. */
  list(owner: MemoryOwner): Promise<readonly MemoryRecord[]>;
  /** Whether there was one. */
  delete(owner: MemoryOwner, id: string): Promise<boolean>;
}

/** Names one session of an agent. */
export interface SessionKey {
  readonly app: string;
  readonly user: string;
  readonly session: string;
}

/** One step of a session's work. */
export interface TaskRecord {
  readonly title: string;
  readonly status: 'pending' | 'in-progress' | 'done';
}

/** The plan and the tasks of each session. */
export interface SessionTaskStore {
  savePlan(key: SessionKey, plan: string): Promise<void>;
  readPlan(key: SessionKey): Promise<string | undefined>;
  /** Replaces all of them, or none. */
  saveTasks(key: SessionKey, tasks: readonly TaskRecord[]): Promise<void>;
  /** In the order they were saved. */
  readTasks(key: SessionKey): Promise<readonly TaskRecord[]>;
  /** Forgets a session that was deleted. */
  delete(key: SessionKey): Promise<void>;
}
