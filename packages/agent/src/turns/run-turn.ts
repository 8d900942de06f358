import type { AskPerson } from '../permissions/gate.ts';
import type { RunningBackend, TurnRequest } from './backend.ts';
import { followEvents } from './follow-events.ts';
import type { Steering } from './steering.ts';
import type { TurnEvent } from './turn-event.ts';
import { openQuestions } from './turn-questions.ts';
import type { TurnResult } from './turn-result.ts';
import type { TurnScope } from './turn-scope.ts';

/** Who is shown a turn, is asked in it, and may cancel it. */
export interface TurnConsumer {
  /**
   * Shown each event as it comes, one at a time: the engine waits for it, also after a cancel (R4). It runs inside the
   * turn. When it throws, the turn is ended and has failed.
   */
  readonly onEvent?: (event: TurnEvent) => void | Promise<void>;
  /** Asked by this turn alone (L6). Left out where nobody can be asked. */
  readonly ask?: AskPerson;
  /** Cancels the turn, whether it waits, initialises or runs (L8). What completes all the same is `completed`. */
  readonly signal?: AbortSignal;
}

/** A turn, from the call that asks for it on. */
export interface OpenTurn extends Pick<TurnRequest, 'turn' | 'session' | 'text' | 'requestId' | 'signal'> {
  readonly steering: Steering;
  readonly consumer: TurnConsumer;
}

/**
 * Runs an admitted turn to its end; never rejects. Its person can be asked until the engine's events have ended, also
 * when it was cancelled (R4), and not after.
 */
export async function runTurn(
  engine: RunningBackend,
  { steering, consumer, signal, ...request }: OpenTurn,
  scope: TurnScope,
): Promise<TurnResult> {
  const { onEvent = () => undefined } = consumer;
  const questions = openQuestions(consumer.ask);
  const person = questions.ask === undefined ? {} : { ask: questions.ask };
  const stop = new AbortController();
  const engineSignal = AbortSignal.any([signal, stop.signal]);
  const source = () =>
    engine.runTurn({ ...request, ...person, signal: engineSignal, takeSteering: () => steering.take() });
  const following = {
    session: request.session,
    signal,
    onEvent,
    stop: () => stop.abort(),
    closeSteering: () => steering.close(),
  };
  try {
    return await scope.enter({ session: request.session, ...person }, () => followEvents(source, following));
  } finally {
    questions.close();
  }
}
