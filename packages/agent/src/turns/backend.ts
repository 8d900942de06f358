import type { Message } from '../messages/message.ts';
import type { AskPerson } from '../permissions/gate.ts';
import type { SessionRef } from '../session-ref.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnScope } from './turn-scope.ts';

/** What one turn gives an engine. */
export interface TurnRequest {
  readonly turn: string;
  readonly session: SessionRef;
  /** What the user says; or what came of a job. */
  readonly text: string;
  /** Makes a second delivery of the same input one turn (RS4). */
  readonly requestId?: string;
  readonly signal: AbortSignal;
  /** Left out where nobody can be asked. */
  readonly ask?: AskPerson;
  /** Takes what was said since the turn began and waits to enter it (RL5). */
  readonly takeSteering: () => readonly string[];
}

/** An engine made ready: it has all that a turn needs and holds it until `close`. */
export interface RunningBackend {
  /**
   * The events of one turn; invoked exactly once for each (R1). It ends after `turn-end`. A cancel ends it too, with a
   * valid history (L8); the caller awaits that end (R4).
   */
  runTurn(request: TurnRequest): AsyncIterable<TurnEvent>;
  /** Absent where the engine keeps no sessions (I4). */
  readonly sessions?: BackendSessions;
  /**
   * Hands the conversations that only this engine holds to its successor, as a value that outlives `close` (L5). Left
   * out where none live in memory alone.
   */
  keepSessions?(): Promise<unknown>;
  /** Lets go of all that it owns, also when one part of it fails (L4; `buildOwned` does). Called once. */
  close(): Promise<void>;
}

/** The sessions that an engine keeps. A backend from before users leaves `user` unread (I2). */
export interface BackendSessions {
  exists(session: string, user?: string): Promise<boolean>;
  list(user?: string): Promise<readonly SessionOverview[]>;
  delete(session: string, user?: string): Promise<boolean>;
  /** The newest `limit` messages, oldest of them first. */
  recentMessages(session: string, limit: number, user?: string): Promise<readonly Message[]>;
  load(session: string, user?: string): Promise<boolean>;
  save(session: string, user?: string): Promise<void>;
}

/** One line of a list of sessions. */
export interface SessionOverview {
  readonly session: string;
  readonly title: string;
  /** Epoch ms. */
  readonly updatedAtMs: number;
}

/** An engine that agents can run on. */
export interface WorkflowBackend {
  readonly name: string;
  /** Whether its sessions outlive the process; false by default (I4). */
  readonly supportsSessions?: boolean;
  /**
   * Builds all that a turn needs. What throws has released what it had built (L3; `buildOwned` does); aborted, it may
   * finish, and the caller closes what it gives. No two starts of one manager overlap.
   */
  start(options: BackendStart): Promise<RunningBackend>;
}

/** What a start goes by. */
export interface BackendStart {
  readonly app: string;
  /** Whose sessions are meant by a call without a user (I2). */
  readonly defaultUser: string;
  /** The model that the manager was told to use in place of the configured one. */
  readonly model?: string;
  /** From `keepSessions` of the engine before. Contract: as it was, unless the start succeeds; it may be given again. */
  readonly keptSessions?: unknown;
  /** Where the call of a tool or a gate finds its turn, when nothing else tells it (I3, L6). */
  readonly scope: TurnScope;
  readonly signal: AbortSignal;
}
