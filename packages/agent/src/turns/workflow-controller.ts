import type { AgentManager, CallWaiting } from './agent-manager.ts';
import type { Reinitialization } from './lifecycle.ts';
import { createLock } from './lock.ts';
import { closedBefore, NestedTurnError, notClosed } from './turn-errors.ts';
import { neverAborted, untilAborted } from './until-aborted.ts';

/** What a surface shows of its workflow. */
export type WorkflowState =
  | { readonly type: 'idle' }
  | { readonly type: 'starting' }
  | { readonly type: 'ready'; readonly manager: AgentManager }
  | { readonly type: 'failed'; readonly initError: unknown }
  | { readonly type: 'closing' }
  | { readonly type: 'closed' };

/** Owns the manager of a surface, from its construction to its end (L7). */
export interface WorkflowController {
  /** Derived from what there is. */
  state(): WorkflowState;
  /** The manager, made ready; constructed where there is none. A cancel leaves the construction to the controller. */
  open(waiting?: CallWaiting): Promise<AgentManager>;
  /** Makes the manager's engine anew. A failure keeps the manager; the state is `failed` until something succeeds. */
  reinitialize(change: Reinitialization, waiting?: CallWaiting): Promise<AgentManager>;
  /**
   * Ends it for good. Every call joins the one teardown, which goes on when a caller is cancelled. It waits for the turn
   * that runs: cancel that first. Those that wait never begin.
   */
  close(waiting?: CallWaiting): Promise<void>;
}

/** What a controller goes by. */
export interface WorkflowControllerOptions {
  /** Makes a manager. `signal` is the controller's own: aborted by `close`, never by a caller of `open`. */
  readonly construct: (options: { readonly signal: AbortSignal }) => Promise<AgentManager>;
  /** Told of each state until `close` is called. Contract: does not throw. */
  readonly onState?: (state: WorkflowState) => void;
}

/** All that there is to know; the state is read off it. */
interface Facts {
  readonly life: AbortSignal;
  manager?: AgentManager | undefined;
  initError?: { readonly error: unknown } | undefined;
  isMoving: boolean;
  isClosed: boolean;
}

/** Makes a controller that has constructed nothing yet. */
export function createWorkflowController(options: WorkflowControllerOptions): WorkflowController {
  const { construct, onState = () => undefined } = options;
  const transitions = createLock();
  const life = new AbortController();
  const facts: Facts = { life: life.signal, isMoving: false, isClosed: false };
  const faults: unknown[] = [];
  let teardown: Promise<void> | undefined;

  const publish = (): void => {
    if (!life.signal.aborted) onState(deriveState(facts));
  };
  const discard = (manager: AgentManager): Promise<void> =>
    manager.close().catch((error: unknown) => void faults.push(error));

  /** One step from one state to the next; it goes on when its caller has left. */
  const move = async (step: () => Promise<AgentManager>, signal: AbortSignal): Promise<AgentManager> => {
    facts.isMoving = true;
    publish();
    try {
      const manager = await step();
      facts.initError = undefined;
      return manager;
    } catch (error) {
      if (!signal.aborted) facts.initError = { error };
      throw error;
    } finally {
      facts.isMoving = false;
      publish();
    }
  };

  const prepare = async (by: (manager: AgentManager) => Promise<void>, signal: AbortSignal) => {
    if (facts.manager !== undefined) {
      await by(facts.manager);
      life.signal.throwIfAborted();
      return facts.manager;
    }
    const built = await construct({ signal: life.signal });
    try {
      await by(built);
      life.signal.throwIfAborted();
      signal.throwIfAborted();
    } catch (error) {
      await discard(built); // nobody else has it
      throw error;
    }
    facts.manager = built;
    return built;
  };

  const change = (
    by: (manager: AgentManager) => Promise<void>,
    { signal = neverAborted() }: CallWaiting,
    isNeedless: () => boolean = () => false,
  ): Promise<AgentManager> => {
    const step = async (): Promise<AgentManager> => {
      life.signal.throwIfAborted();
      if (facts.manager !== undefined && isNeedless()) return facts.manager;
      return move(() => prepare(by, signal), signal);
    };
    return untilAborted(transitions.hold(step, { signal }), signal);
  };

  const tearDown = async (): Promise<void> => {
    life.abort(closedBefore('the workflow'));
    await transitions.hold(
      async () => {
        const { manager } = facts;
        facts.manager = undefined;
        if (manager !== undefined) await discard(manager);
      },
      { signal: neverAborted() },
    );
    facts.isClosed = true;
    if (faults.length === 1) throw faults[0];
    if (faults.length > 1) throw notClosed('the workflow', faults);
  };

  return {
    state: () => deriveState(facts),
    open: async (waiting = {}) =>
      change(
        (manager) => manager.initializeServices({ signal: life.signal }),
        waiting,
        () => facts.initError === undefined,
      ),
    reinitialize: async (how, waiting = {}) =>
      change((manager) => manager.reinitialize(how, { signal: life.signal }), waiting),
    close: async ({ signal = neverAborted() } = {}) => {
      if (facts.manager?.isInside() === true) throw new NestedTurnError('close');
      teardown ??= tearDown();
      await untilAborted(teardown, signal);
    },
  };
}

function deriveState({ life, manager, initError, isMoving, isClosed }: Facts): WorkflowState {
  if (isClosed) return { type: 'closed' };
  if (life.aborted) return { type: 'closing' };
  if (isMoving) return { type: 'starting' };
  if (initError !== undefined) return { type: 'failed', initError: initError.error };
  return manager === undefined ? { type: 'idle' } : { type: 'ready', manager };
}
