import { AgentError } from '../agent-error.ts';
import type { SessionRef } from '../session-ref.ts';
import type { Lifecycle } from './lifecycle.ts';
import { createLock } from './lock.ts';
import type { ReentryGuard } from './reentry-guard.ts';
import { runTurn } from './run-turn.ts';
import type { OpenTurn, TurnConsumer } from './run-turn.ts';
import { createSteering } from './steering.ts';
import { faultOf } from './turn-errors.ts';
import type { TurnResult } from './turn-result.ts';
import type { TurnScope } from './turn-scope.ts';
import { neverAborted } from './until-aborted.ts';
import { noUsage } from './usage.ts';

/** The turn that a manager is busy with, from the call that asked for it on (L1). */
export interface RunningTurn {
  readonly turn: string;
  readonly session: SessionRef;
}

/** A turn that comes after those that were asked for before it. */
export interface FollowUp {
  readonly turn: string;
  /** Throws `NestedTurnError` inside the turn that it follows, which would wait for itself. */
  result(): Promise<TurnResult>;
}

/** What a turn is asked for with. */
export interface AskedTurn {
  readonly session: SessionRef;
  readonly text: string;
  readonly requestId?: string;
  /** Called when the turn is about to begin; `false` when it is somebody else's, and then it does not. */
  readonly claim?: () => Promise<boolean>;
}

/** What can be asked of a manager while a turn runs, also inside that turn. */
export interface TurnCalls {
  /** Says `text` after the running turn, in its session and for its consumer; `undefined` when no turn is running. */
  followUp(text: string, consumer?: TurnConsumer): FollowUp | undefined;
  /**
   * Says `text` into the running turn and answers its id; `undefined` when none is running, or another one than `turn`.
   * What the turn then does not take stands in its result as `unheard` (RL5).
   */
  steer(text: string, options?: { readonly turn?: string }): string | undefined;
  /** What a surface looks at before it answers that the manager is busy. */
  runningTurn(): RunningTurn | undefined;
}

/** One turn after the other, in the order of the calls. */
export interface TurnLine extends TurnCalls {
  /** Never rejects. */
  take(asked: AskedTurn, consumer: TurnConsumer): Promise<TurnResult>;
}

/** What a line is made of. */
export interface TurnLineOptions {
  readonly lifecycle: Pick<Lifecycle, 'admit'>;
  readonly scope: TurnScope;
  readonly guard: Pick<ReentryGuard, 'refuse'>;
  readonly ids: () => string;
}

/** Makes the line of a manager. */
export function createTurnLine({ lifecycle, scope, guard, ids }: TurnLineOptions): TurnLine {
  const line = createLock();
  /** In the order of the calls, as the lock has them. */
  const turns: OpenTurn[] = [];

  const begin = ({ claim, ...asked }: AskedTurn, consumer: TurnConsumer) => {
    const { signal = neverAborted() } = consumer;
    const turn = { ...asked, turn: ids(), steering: createSteering(), consumer, signal };
    const admit = () =>
      lifecycle.admit(async (engine) => {
        if (claim !== undefined && !(await claim())) throw notClaimed();
        signal.throwIfAborted();
        return runTurn(engine, turn, scope);
      }, turn);
    turns.push(turn);
    const result = line
      .hold(admit, turn)
      .catch((error: unknown) => neverBegan(error, turn))
      .finally(() => turns.splice(turns.indexOf(turn), 1));
    return { turn: turn.turn, result };
  };

  return {
    take: (asked, consumer) => begin(asked, consumer).result,
    followUp: (text, consumer) => {
      const [running] = turns;
      if (running === undefined) return undefined;
      const { turn, result } = begin({ session: running.session, text }, consumer ?? running.consumer);
      return {
        turn,
        result: () => {
          guard.refuse('The result of a followUp');
          return result;
        },
      };
    },
    steer: (text, options = {}) => {
      const [running] = turns;
      const isMeant = options.turn === undefined || options.turn === running?.turn;
      return isMeant && running?.steering.say(text) === true ? running.turn : undefined;
    },
    runningTurn: () => {
      const [running] = turns;
      return running && { turn: running.turn, session: running.session };
    },
  };
}

function neverBegan(error: unknown, { signal, steering }: OpenTurn): TurnResult {
  const unheard = steering.close();
  return {
    ...(signal.aborted
      ? { status: 'cancelled' }
      : { status: 'unavailable', error: faultOf(error, 'BACKEND_NOT_STARTED') }),
    text: '',
    usage: noUsage,
    ...(unheard.length === 0 ? {} : { unheard }),
  };
}

function notClaimed(): AgentError {
  return new AgentError(
    'TURN_NOT_CLAIMED',
    'Expected the result of a job that nobody delivers; it is delivered already, or by another process.',
  );
}
