/** One text that a knowledge base holds. */
export interface KnowledgeDocument {
  readonly id: string;
  readonly title: string;
  /** Where it came from: `text`, a file's path, or a URL without credentials. */
  readonly source: string;
  /** Epoch ms. */
  readonly addedAtMs: number;
}

/** A passage that answers a search, best first. */
export interface KnowledgeHit {
  readonly document: KnowledgeDocument;
  readonly text: string;
  /** Higher is better; comparable within one search only. */
  readonly score: number;
}

/** Documents of one project or one user, ranked in full text (S2). */
export interface KnowledgeBase {
  addText(text: string, options: { readonly title: string }): Promise<KnowledgeDocument>;
  /** Rejects with `AgentError` when the file can't be read as text. */
  addFile(path: string): Promise<KnowledgeDocument>;
  /** Rejects with `AgentError` unless the answer is a text of a success. */
  addUrl(url: string, options?: { readonly signal?: AbortSignal }): Promise<KnowledgeDocument>;
  search(query: string, options?: { readonly limit?: number }): Promise<readonly KnowledgeHit[]>;
  /** Newest first. */
  list(): Promise<readonly KnowledgeDocument[]>;
  /** The whole text, as it was added. */
  read(id: string): Promise<string | undefined>;
  /** Whether there was one. */
  remove(id: string): Promise<boolean>;
}
