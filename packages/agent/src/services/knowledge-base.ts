import { createHash } from 'node:crypto';
import type { DocumentRecord, KnowledgeOwner, KnowledgeStore, PassageHit } from '@quartermaster/store';
import { splitPassages } from './passages.ts';
import { readFileSource, readUrlSource } from './read-source.ts';
import type { SourceText } from './read-source.ts';
import { queryWords, wordsOf } from './words.ts';

/** Documents of one project or one user, ranked in full text (S2). */
export interface KnowledgeBase {
  addText(text: string, options: { readonly title: string }): Promise<DocumentRecord>;
  /** Replaces what was added from the same path. Rejects with `AgentError` when the file can't be read as text. */
  addFile(path: string): Promise<DocumentRecord>;
  /** Replaces what was added from the same URL. Rejects with `AgentError` unless it answers with a text. */
  addUrl(url: string, options?: { readonly signal?: AbortSignal }): Promise<DocumentRecord>;
  /** The passages that share words with `query`, best first; 10 unless `limit` says otherwise. */
  search(query: string, options?: { readonly limit?: number }): Promise<readonly PassageHit[]>;
  /** Newest first. */
  list(): Promise<readonly DocumentRecord[]>;
  /** The whole text, as it was added. */
  read(id: string): Promise<string | undefined>;
  /** Whether there was one. */
  remove(id: string): Promise<boolean>;
}

/** What a knowledge base is made of. */
export interface KnowledgeBaseOptions {
  readonly store: KnowledgeStore;
  readonly owner: KnowledgeOwner;
  readonly clock: { now(): number };
  readonly ids: () => string;
  readonly fetch: typeof globalThis.fetch;
}

/** Larger texts belong into a store of another kind. */
const maxSourceBytes = 4 * 1024 * 1024;

const defaultLimit = 10;

/** The knowledge of one owner. */
export function createKnowledgeBase(options: KnowledgeBaseOptions): KnowledgeBase {
  const { store, owner, clock, ids, fetch } = options;

  async function add(id: string, { title, source, text }: SourceText): Promise<DocumentRecord> {
    const document = { id, title, source, addedAtMs: clock.now() };
    const passages = splitPassages(text).map((passage) => ({
      text: passage,
      words: [...wordsOf(title), ...wordsOf(passage)].join(' '),
    }));
    await store.save(owner, { ...document, text }, passages);
    return document;
  }

  return {
    addText: (text, { title }) => add(ids(), { title, source: 'text', text }),
    addFile: async (path) => add(idOf(path), await readFileSource(path, maxSourceBytes)),
    async addUrl(url, { signal } = {}) {
      const read = await readUrlSource(url, {
        fetch,
        maxBytes: maxSourceBytes,
        ...(signal !== undefined && { signal }),
      });
      return await add(idOf(read.source), read);
    },
    search: (query, { limit = defaultLimit } = {}) => store.search(owner, queryWords(query), limit),
    list: () => store.list(owner),
    read: (id) => store.read(owner, id),
    remove: (id) => store.delete(owner, id),
  };
}

/** The same for the same source, so that adding it again replaces it. */
function idOf(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 32);
}
