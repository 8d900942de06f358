import type { BackendSessions } from '@quartermaster/agent/turns';
import type { SessionKey } from '@quartermaster/store';
import { createSessions } from './sessions.ts';
import type { SessionsOptions } from './held-session.ts';

const listLimit = 1_000;

/** The sessions of one application as a manager asks for them: always saved, so that loading finds them. */
export function createBackendSessions(
  options: SessionsOptions,
  { app, defaultUser }: { readonly app: string; readonly defaultUser: string },
): BackendSessions {
  const sessions = createSessions(options);
  const keyOf = (session: string, user = defaultUser): SessionKey => ({ app, user, session });
  const exists = async (session: string, user?: string): Promise<boolean> =>
    (await sessions.find(keyOf(session, user))) !== undefined;
  return {
    exists,
    load: exists,
    save: () => Promise.resolve(),
    delete: (session, user) => sessions.delete(keyOf(session, user)),
    async list(user = defaultUser) {
      const records = await sessions.list({ app, user }, { limit: listLimit });
      return records.map(({ session, title, updatedAtMs }) => ({ session, title, updatedAtMs }));
    },
    async recentMessages(session, limit, user) {
      if ((await sessions.find(keyOf(session, user))) === undefined || limit <= 0) return [];
      return (await sessions.messages(keyOf(session, user))).slice(-limit);
    },
  };
}
