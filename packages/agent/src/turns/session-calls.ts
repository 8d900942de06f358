import type { Message } from '../messages/message.ts';
import type { BackendSessions, SessionOverview, WorkflowBackend } from './backend.ts';
import type { Lifecycle } from './lifecycle.ts';
import { SessionsUnsupportedError } from './turn-errors.ts';
import { neverAborted } from './until-aborted.ts';

/** Whose session is meant, and how long the answer is waited for. */
export interface SessionCallOptions {
  /** The default user when it is left out, and only then (I1). */
  readonly user?: string;
  readonly signal?: AbortSignal;
}

/** The sessions of a manager. Each throws `SessionsUnsupportedError` where the backend keeps none (I4). */
export interface SessionCalls {
  sessionExists(session: string, options?: SessionCallOptions): Promise<boolean>;
  listSessions(options?: SessionCallOptions): Promise<readonly SessionOverview[]>;
  /** `false` when there was none. */
  deleteSession(session: string, options?: SessionCallOptions): Promise<boolean>;
  /** The newest `limit` messages, oldest of them first. */
  recentMessages(session: string, limit: number, options?: SessionCallOptions): Promise<readonly Message[]>;
  /** `false` when there is none. */
  loadSession(session: string, options?: SessionCallOptions): Promise<boolean>;
  saveSession(session: string, options?: SessionCallOptions): Promise<void>;
}

/**
 * Uses a backend's sessions; what it gives to `use` as the user stands at the end of each of their calls. It makes the
 * engine ready when it has to.
 */
export type SessionAccess = <Result>(
  call: string,
  options: SessionCallOptions,
  use: (sessions: BackendSessions, ...user: readonly [] | readonly [string]) => Promise<Result>,
) => Promise<Result>;

/** What the sessions of a manager are reached through. */
export interface SessionAccessOptions {
  readonly backend: WorkflowBackend;
  readonly lifecycle: Pick<Lifecycle, 'borrow'>;
  readonly defaultUser: string;
}

/** Makes the way to a backend's sessions, which throws `SessionsUnsupportedError` where it keeps none (I4). */
export function createSessionAccess({
  backend,
  lifecycle,
  defaultUser,
}: SessionAccessOptions): SessionAccess {
  return async (call, { user = defaultUser, signal = neverAborted() }, use) => {
    if (backend.supportsSessions !== true) throw new SessionsUnsupportedError(backend.name, call);
    // A backend from before users has no parameter for the default one (I2).
    const named = user === defaultUser ? ([] as const) : ([user] as const);
    return lifecycle.borrow(
      async ({ sessions }) => {
        if (sessions === undefined) throw new SessionsUnsupportedError(backend.name, call);
        return use(sessions, ...named);
      },
      { signal },
    );
  };
}

/** Makes the session calls of a manager. */
export function createSessionCalls(call: SessionAccess): SessionCalls {
  return {
    sessionExists: (session, options = {}) =>
      call('sessionExists', options, (sessions, ...user) => sessions.exists(session, ...user)),
    listSessions: (options = {}) =>
      call('listSessions', options, (sessions, ...user) => sessions.list(...user)),
    deleteSession: (session, options = {}) =>
      call('deleteSession', options, (sessions, ...user) => sessions.delete(session, ...user)),
    recentMessages: (session, limit, options = {}) =>
      call('recentMessages', options, (sessions, ...user) =>
        sessions.recentMessages(session, limit, ...user),
      ),
    loadSession: (session, options = {}) =>
      call('loadSession', options, (sessions, ...user) => sessions.load(session, ...user)),
    saveSession: (session, options = {}) =>
      call('saveSession', options, (sessions, ...user) => sessions.save(session, ...user)),
  };
}
