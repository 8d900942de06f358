import { AgentError } from '../agent-error.ts';
import type { SessionRef } from '../session-ref.ts';
import { faultOf } from './turn-errors.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnFault, TurnResult } from './turn-result.ts';
import { addUsage, noUsage } from './usage.ts';

/** What the events of one turn are followed by. */
export interface Following {
  /** Of the turn itself; sub-agents at work for it have others. */
  readonly session: SessionRef;
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: TurnEvent) => void | Promise<void>;
  /** Tells the engine to end the turn, since nobody can be shown it. */
  readonly stop: () => void;
  /** Called once, when the engine has let go: what was said to the turn and never entered it. */
  readonly closeSteering: () => readonly string[];
}

/** What has come of a turn so far. */
interface Seen {
  /** Where the turn's own last event came from. */
  place?: Pick<TurnEvent, 'turn' | 'session' | 'agent'>;
  end?: TurnResult;
  fault?: TurnFault;
  usage: TurnResult['usage'];
}

/**
 * Invokes the source once (R1), shows its events as they come, and says what came of them; never rejects. It returns
 * after the source has ended, also when it was cancelled (R4). The turn's own `turn-end` is shown last, and tells what
 * is returned.
 */
export async function followEvents(
  source: () => AsyncIterable<TurnEvent>,
  following: Following,
): Promise<TurnResult> {
  const seen: Seen = { usage: noUsage };
  await readAll(source, seen, following);
  const unheard = following.closeSteering();
  const result = judge(seen, unheard);
  if (seen.place === undefined) return result;
  await show({ ...seen.place, type: 'turn-end', result }, seen, following);
  return judge(seen, unheard);
}

async function readAll(
  source: () => AsyncIterable<TurnEvent>,
  seen: Seen,
  following: Following,
): Promise<void> {
  const { session, signal } = following;
  try {
    for await (const event of source()) {
      if (seen.end !== undefined) throw badStream(`${event.type} came after turn-end`);
      note(seen, event, session);
      if (seen.end === undefined) await show(event, seen, following);
    }
    if (seen.end === undefined && !signal.aborted) throw badStream('the events ended without one');
  } catch (error) {
    if (!isCancel(error, signal)) seen.fault ??= faultOf(error, 'TURN_FAILED');
  }
}

function note(seen: Seen, event: TurnEvent, session: SessionRef): void {
  const isOwn = isSame(event.session, session);
  if (isOwn) seen.place = { turn: event.turn, session: event.session, agent: event.agent };
  if (isOwn && event.type === 'turn-end') seen.end = event.result;
  if (event.type === 'usage') seen.usage = addUsage(seen.usage, event.usage);
  if (event.type === 'error' && !event.recoverable) {
    seen.fault ??= { code: event.code, message: event.message };
  }
}

/** A consumer that fails is shown nothing more, and the source is followed to its end all the same. */
async function show(event: TurnEvent, seen: Seen, { onEvent, stop }: Following): Promise<void> {
  if (seen.fault?.code === 'TURN_CONSUMER_FAILED') return;
  try {
    await onEvent(event);
  } catch (error) {
    const { message } = faultOf(error, 'TURN_CONSUMER_FAILED');
    seen.fault = { code: 'TURN_CONSUMER_FAILED', message: `Expected ${event.type} to be shown: ${message}` };
    stop();
  }
}

/** Without an end and without a fault it was cancelled. */
function judge({ end, fault, usage }: Seen, unheard: readonly string[]): TurnResult {
  const result: TurnResult = {
    ...(end ?? { status: 'cancelled', text: '', usage }),
    ...(unheard.length === 0 ? {} : { unheard }),
  };
  return fault === undefined ? result : { ...result, status: 'failed', error: fault };
}

function isCancel(error: unknown, signal: AbortSignal): boolean {
  const isAbort = error instanceof Error && error.name === 'AbortError';
  return signal.aborted && (isAbort || error === signal.reason);
}

function isSame(one: SessionRef, other: SessionRef): boolean {
  return one.app === other.app && one.user === other.user && one.session === other.session;
}

function badStream(what: string): AgentError {
  return new AgentError('TURN_BAD_STREAM', `Expected the events of a turn to end in one turn-end; ${what}.`);
}
