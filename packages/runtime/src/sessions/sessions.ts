import type { Message } from '@quartermaster/agent/messages';
import type { SessionKey, SessionOwner, SessionRecord, SessionStore } from '@quartermaster/store';
import { RuntimeError } from '../runtime-error.ts';
import { formatHtml } from './format-html.ts';
import { createHolder, holdSession, sessionMissing } from './held-session.ts';
import type { SessionsOptions } from './held-session.ts';
import { readCacheReport } from './cache-report.ts';
import type { CacheReport } from './cache-report.ts';
import { copiedPart } from './copied-part.ts';
import { readTranscript } from './transcript.ts';
import type { Transcript } from './transcript.ts';

/** Which part of a list is wanted. */
export interface SessionPage {
  readonly limit: number;
  /** The last of the page before. */
  readonly before?: Pick<SessionRecord, 'updatedAtMs' | 'session'>;
}

/** The sessions of a store (RS1–RS5). Whatever reads them needs no model, provider or tool that they name (case 77). */
export interface Sessions {
  find(session: SessionKey): Promise<SessionRecord | undefined>;
  /** Last used first; sub-sessions are in none. */
  list(owner: SessionOwner, page: SessionPage): Promise<readonly SessionRecord[]>;
  /** All of them, also those that a summary stands for. Throws `RUNTIME_SESSION_MISSING`, as all below do. */
  messages(session: SessionKey): Promise<readonly Message[]>;
  /** With its sub-sessions, for people and programs. */
  transcript(session: SessionKey): Promise<Transcript>;
  rename(session: SessionKey, title: string): Promise<void>;
  /** A copy of all of it, under a new name and the same title. */
  clone(session: SessionKey): Promise<SessionKey>;
  /** A new session with what stands before a message, so that something else can be said in its place. */
  branch(session: SessionKey, options: { readonly beforeMessage: string }): Promise<SessionKey>;
  /** A new session with all of it, or with what stands up to a message and the results of its calls. */
  fork(session: SessionKey, options?: { readonly afterMessage?: string }): Promise<SessionKey>;
  /** What each answer's prompt read from the provider's cache and wrote to it, and why a prompt began anew. */
  cacheReport(session: SessionKey): Promise<CacheReport>;
  /** One file by itself: JSON for programs, HTML for people. */
  export(session: SessionKey, format: 'json' | 'html'): Promise<string>;
  /** Whether there was one. Throws `SessionBusyError` while a turn runs in it. */
  delete(session: SessionKey): Promise<boolean>;
}

/** Looks after the sessions of `store`. */
export function createSessions(options: SessionsOptions): Sessions {
  const { store, ids, clock } = options;
  const holder = createHolder(options);

  async function require(key: SessionKey): Promise<SessionRecord> {
    const record = await store.read(key);
    if (record === undefined) throw sessionMissing(key.session);
    return record;
  }
  async function copy(
    key: SessionKey,
    { title, beforePosition }: { readonly title: string; readonly beforePosition?: number },
  ): Promise<SessionKey> {
    const to = { app: key.app, user: key.user, session: ids() };
    const at = beforePosition === undefined ? {} : await copiedPart(store, key, beforePosition);
    if (await store.copy(key, to.session, { title, atMs: clock.now(), ...at })) return to;
    throw sessionMissing(key.session);
  }
  const readWhole = async (key: SessionKey): Promise<Transcript> => readTranscript(store, await require(key));

  return {
    find: (key) => store.read(key),
    list: (owner, page) => store.list(owner, page),
    messages: async (key) => (await readWhole(key)).messages.map(({ message }) => message),
    transcript: readWhole,
    async rename(key, title) {
      if (!(await store.rename(key, title))) throw sessionMissing(key.session);
    },
    clone: async (key) => copy(key, await require(key)),
    async branch(key, { beforeMessage }) {
      const { title } = await require(key);
      const beforePosition = (await findMessage(store, key, beforeMessage)).position;
      return await copy(key, { title: countTitle(title, 'branch'), beforePosition });
    },
    async fork(key, { afterMessage } = {}) {
      const title = countTitle((await require(key)).title, 'fork');
      if (afterMessage === undefined) return await copy(key, { title });
      const { next } = await findMessage(store, key, afterMessage);
      return await copy(key, { title, ...(next !== undefined && { beforePosition: next }) });
    },
    async cacheReport(key) {
      await require(key);
      return await readCacheReport(store, key);
    },
    async export(key, format) {
      const transcript = await readWhole(key);
      return format === 'html' ? formatHtml(transcript) : `${JSON.stringify(transcript, undefined, 2)}\n`;
    },
    async delete(key) {
      if ((await store.read(key)) === undefined) return false;
      const held = await holdSession(key, { turn: ids() }, holder);
      try {
        return await store.delete(key);
      } finally {
        await held.release();
      }
    },
  };
}

/** A message's place, and that of the message after it. What lies between, such as a sub-session, belongs to it. */
async function findMessage(
  store: SessionStore,
  key: SessionKey,
  id: string,
): Promise<{ readonly position: number; readonly next: number | undefined }> {
  const items = await store.items(key);
  const item = items.find((one) => one.id === id && one.type === 'message');
  if (item === undefined) {
    throw new RuntimeError(
      'RUNTIME_MESSAGE_MISSING',
      `Expected what a user or a model said in session ${key.session}; "${id}" is no such message.`,
    );
  }
  const next = items.find(({ position, type }) => position > item.position && type === 'message');
  return { position: item.position, next: next?.position };
}

/** `Title (branch)`, then `Title (branch 2)`. */
function countTitle(title: string, word: string): string {
  const [, base = title, count] = new RegExp(`^(.*) \\(${word}(?: (\\d+))?\\)$`, 's').exec(title) ?? [];
  if (base === title) return `${title} (${word})`;
  return `${base} (${word} ${Number(count ?? 1) + 1})`;
}
