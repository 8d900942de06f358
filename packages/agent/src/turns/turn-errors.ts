import { AgentError } from '../agent-error.ts';
import type { AgentErrorCode } from '../agent-error.ts';
import type { TurnFault } from './turn-result.ts';

/** Something that would wait for the end of the turn is called from inside that turn (L1). */
export class NestedTurnError extends AgentError {
  override readonly name = 'NestedTurnError';

  constructor(action: string) {
    super(
      'TURN_NESTED',
      `${action} was called from inside a turn of the same manager, and would wait for itself. ` +
        'Call it once the turn has ended, say it with followUp, or use another manager.',
    );
  }
}

/** A session call on a backend that keeps no sessions (I4). */
export class SessionsUnsupportedError extends AgentError {
  override readonly name = 'SessionsUnsupportedError';

  constructor(backend: string, call: string) {
    super(
      'SESSIONS_UNSUPPORTED',
      `${call} needs a backend that keeps sessions; ${backend} keeps none. ` +
        'Look at supportsSessions first, or use a backend with a durable store.',
    );
  }
}

/** The code of an error that has one, `fallback` for any other. */
export function faultOf(error: unknown, fallback: AgentErrorCode): TurnFault {
  if (!(error instanceof Error)) return { code: fallback, message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : fallback;
  return { code, message: error.message };
}

/** Of everything that failed while something was closed. */
export function notClosed(owner: string, faults: readonly unknown[]): AgentError {
  const cause = faults.length === 1 ? faults[0] : new AggregateError(faults);
  return new AgentError(
    'BACKEND_NOT_CLOSED',
    `Expected ${owner} to let go of all that it owned; ${faults.length} of its closings failed. See the cause.`,
    { cause },
  );
}

/** Of everything that is asked for after the end. */
export function closedBefore(owner: string): AgentError {
  return new AgentError('WORKFLOW_CLOSED', `Expected ${owner} to be open; it was closed. Make a new one.`);
}
