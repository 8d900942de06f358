import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError } from '../agent-error.ts';
import type { AskPerson } from '../permissions/gate.ts';
import type { SessionRef } from '../session-ref.ts';

/** What a turn is to the code that runs in it. */
export interface TurnPlace {
  readonly session: SessionRef;
  /** Left out where nobody can be asked. */
  readonly ask?: AskPerson;
}

/**
 * The conversation in flight and the person to ask in it, for whatever is called in a turn and is not told (I3, L6).
 * Managers that share a scope nest: a turn inside a turn sees its own, and the outer one's again once it has ended.
 */
export interface TurnScope {
  /** `undefined` outside of every turn. */
  currentSession(): SessionRef | undefined;
  /** Asks the person of the turn that the caller runs in; rejects where there is none. */
  readonly ask: AskPerson;
  /** Everything that `work` calls, and awaits, is in `place`. */
  enter<Result>(place: TurnPlace, work: () => Promise<Result>): Promise<Result>;
}

/** Makes a scope that nobody is in. */
export function createTurnScope(): TurnScope {
  const places = new AsyncLocalStorage<TurnPlace>();
  return {
    currentSession: () => places.getStore()?.session,
    ask: async (request, options) => {
      const ask = places.getStore()?.ask;
      if (ask === undefined) throw nobody();
      return ask(request, options);
    },
    enter: (place, work) => places.run(place, work),
  };
}

function nobody(): AgentError {
  return new AgentError('TURN_NOBODY_TO_ASK', 'Expected a turn with a person to ask; here is none.');
}
