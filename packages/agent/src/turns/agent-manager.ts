import { AgentError } from '../agent-error.ts';
import type { Message } from '../messages/message.ts';
import type { SessionRef } from '../session-ref.ts';
import type { WorkflowBackend } from './backend.ts';
import { createLifecycle } from './lifecycle.ts';
import type { Reinitialization } from './lifecycle.ts';
import { createReentryGuard } from './reentry-guard.ts';
import type { TurnConsumer } from './run-turn.ts';
import { createSessionAccess, createSessionCalls } from './session-calls.ts';
import type { SessionCalls } from './session-calls.ts';
import { createTurnLine } from './turn-line.ts';
import type { TurnCalls } from './turn-line.ts';
import type { TurnResult } from './turn-result.ts';
import { createTurnScope } from './turn-scope.ts';
import type { TurnScope } from './turn-scope.ts';
import { neverAborted } from './until-aborted.ts';

/** What a person says. */
export interface TurnInput {
  readonly session: string;
  readonly text: string;
  /** The default user when it is left out, and only then (I1). */
  readonly user?: string;
  /** Makes a second delivery of the same input one turn (RS4). */
  readonly requestId?: string;
}

/** The result of a job, for the conversation that it came from (J10). */
export interface JobDelivery {
  readonly session: SessionRef;
  readonly job: string;
  /** What the model is told. */
  readonly text: string;
  /** `beginResume` (J1): called when the turn is about to begin; `false` when another process delivers it. */
  readonly claim: () => Promise<boolean>;
  /** `completeResume` (J1): called once after every claim that was won, whatever came of the turn. */
  readonly complete: (result: TurnResult) => Promise<void>;
}

/** A conversation that has ended. */
export interface EndedSession {
  readonly session: SessionRef;
  /** The newest `limit` messages of this very conversation, oldest of them first. */
  recentMessages(limit: number): Promise<readonly Message[]>;
}

/** How long a call is waited for. */
export interface CallWaiting {
  readonly signal?: AbortSignal;
}

/**
 * Runs the turns of an application's conversations on one engine, one at a time (L1). Whatever waits for the end of a
 * turn throws `NestedTurnError` inside it.
 */
export interface AgentManager extends SessionCalls, TurnCalls {
  /** Whether its sessions outlive the process (I4). */
  readonly supportsSessions: boolean;
  /**
   * Waits its turn, makes the engine ready where it is not, and runs the turn; what went wrong is in the result (R2).
   * Rejects with `NestedTurnError` only.
   */
  process(input: TurnInput, consumer?: TurnConsumer): Promise<TurnResult>;
  /** The same for the result of a job. Rejects besides when `complete` does. */
  resumeWithJobResult(delivery: JobDelivery, consumer?: TurnConsumer): Promise<TurnResult>;
  /** Makes the engine ready; does nothing where it is. A failure leaves nothing behind, and may be tried again (L3). */
  initializeServices(waiting?: CallWaiting): Promise<void>;
  /** Makes the engine anew. When it fails, the manager is uninitialised and what it kept is kept (L5). */
  reinitialize(change?: Reinitialization, waiting?: CallWaiting): Promise<void>;
  /** Lets go of the engine; the next turn makes it ready again. Called twice, it does nothing the second time (L4). */
  cleanup(waiting?: CallWaiting): Promise<void>;
  /** Computes what is to be known of this conversation; the engine is not let go of before (R5). */
  onSessionEnd(ended: { readonly session: SessionRef }, waiting?: CallWaiting): Promise<void>;
  /** The conversation in flight where this is called (I3). */
  currentSession(): SessionRef | undefined;
  /** Whether the caller runs inside a turn, a start or a close of this manager. */
  isInside(): boolean;
}

/** What a manager is made of. */
export interface AgentManagerOptions {
  readonly backend: WorkflowBackend;
  /** The first part of every `SessionRef`. */
  readonly app: string;
  /** That of the settings; whose sessions are meant where no user is given (I1). */
  readonly defaultUser: string;
  /** In place of the configured model. */
  readonly model?: string;
  /** One that is shared with what asks for the conversation in flight; a new one by default. */
  readonly scope?: TurnScope;
  /** Unambiguous ids, of turns. */
  readonly ids: () => string;
  /** What is done with a conversation that has ended; nothing by default. */
  readonly extractFacts?: (ended: EndedSession, options: { readonly signal: AbortSignal }) => Promise<void>;
}

/** Makes a manager; its engine starts with the first call that needs it. */
export function createAgentManager(options: AgentManagerOptions): AgentManager {
  const { backend, app, defaultUser, ids, scope = createTurnScope(), extractFacts } = options;
  const guard = createReentryGuard();
  const lifecycle = createLifecycle({ ...options, scope, guard });
  const line = createTurnLine({ lifecycle, scope, guard, ids });
  const access = createSessionAccess({ backend, lifecycle, defaultUser });
  return {
    ...createSessionCalls(access),
    supportsSessions: backend.supportsSessions === true,
    followUp: (text, consumer) => line.followUp(text, consumer),
    steer: (text, options) => line.steer(text, options),
    runningTurn: () => line.runningTurn(),
    currentSession: () => scope.currentSession(),
    isInside: () => guard.isInside(),
    process: async ({ user = defaultUser, session, ...input }, consumer = {}) => {
      guard.refuse('process');
      return line.take({ ...input, session: { app, user, session } }, consumer);
    },
    resumeWithJobResult: async ({ session, job, text, claim, complete }, consumer = {}) => {
      guard.refuse('resumeWithJobResult');
      requireApp(session, app);
      let isClaimed = false;
      const claimOnce = async () => (isClaimed = await claim());
      const result = await line.take({ session, text, requestId: `job:${job}`, claim: claimOnce }, consumer);
      if (isClaimed) await complete(result);
      return result;
    },
    initializeServices: async ({ signal = neverAborted() } = {}) => {
      guard.refuse('initializeServices');
      await lifecycle.initialize({ signal });
    },
    reinitialize: async (change = {}, { signal = neverAborted() } = {}) => {
      guard.refuse('reinitialize');
      await lifecycle.reinitialize(change, { signal });
    },
    cleanup: async ({ signal = neverAborted() } = {}) => {
      guard.refuse('cleanup');
      await lifecycle.cleanup({ signal });
    },
    onSessionEnd: async ({ session }, { signal = neverAborted() } = {}) => {
      requireApp(session, app);
      if (extractFacts === undefined) return;
      await access('onSessionEnd', { user: session.user, signal }, (sessions, ...user) => {
        const recentMessages = (limit: number) => sessions.recentMessages(session.session, limit, ...user);
        return extractFacts({ session, recentMessages }, { signal });
      });
    },
  };
}

function requireApp(session: SessionRef, app: string): void {
  if (session.app === app) return;
  throw new AgentError(
    'SESSION_OF_ANOTHER_APP',
    `Expected a session of ${app}, got one of ${session.app}. Give it to the manager of that application.`,
  );
}
