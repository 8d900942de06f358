import { AgentError } from '../agent-error.ts';
import type { AskPerson } from '../permissions/gate.ts';
import { untilAborted } from './until-aborted.ts';

/** The questions of one turn. */
export interface TurnQuestions {
  /** Left out where nobody can be asked. */
  readonly ask?: AskPerson;
  /** Whatever is asked from now on, or is still asked, is rejected. */
  close(): void;
}

/**
 * Gives a turn its person to ask, until the turn is over: neither an answer nor the end of another turn touches it (L6).
 * A cancelled question is rejected at once, even when `ask` does not look at its signal.
 */
export function openQuestions(ask: AskPerson | undefined): TurnQuestions {
  const over = new AbortController();
  const close = (): void =>
    over.abort(new AgentError('TURN_OVER', 'Expected a question of a running turn; this turn has ended.'));
  if (ask === undefined) return { close };
  return {
    ask: async (request, options) => {
      const signal = AbortSignal.any([options.signal, over.signal]);
      signal.throwIfAborted();
      return untilAborted(ask(request, { signal }), signal);
    },
    close,
  };
}
