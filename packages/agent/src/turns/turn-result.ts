import type { TokenUsage } from '../messages/message.ts';

/** How a turn ended; `unavailable`: it never began, since the backend could not be made ready (R2). */
export type TurnStatus = 'completed' | 'cancelled' | 'failed' | 'unavailable';

/** Why a turn failed, in a form that can be stored and sent. */
export interface TurnFault {
  readonly code: string;
  readonly message: string;
}

/** What came of a turn (R2). */
export interface TurnResult {
  readonly status: TurnStatus;
  /** The last words of the model; empty where it said none. */
  readonly text: string;
  /** Why it failed or was unavailable. */
  readonly error?: TurnFault;
  /** Of all answers of the turn together, those of sub-agents included. */
  readonly usage: TokenUsage;
  /** What was said to steer it and never entered it, in the order in which it was said; left out where there is none. */
  readonly unheard?: readonly string[];
}
