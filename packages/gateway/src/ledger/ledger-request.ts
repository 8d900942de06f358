import type { Conversation } from '../conversation/read.ts';
import type { Decision } from '../threads/decision.ts';
import type { Deferral } from './layout.ts';

/** One understood request on its way upstream. */
export interface LedgerRequest {
  readonly conversation: Conversation;
  /** The thread's; `undefined` where it could not be read. */
  readonly decision: Decision | undefined;
  /** What the rewrite of this request did, or would have done; `undefined`: nothing. */
  readonly deferral: Deferral | undefined;
  /** The request goes as it came; `deferral` is what `ultrahigh` would have done to it. */
  readonly isProjection: boolean;
}

/** A request whose answer has begun. */
export interface OpenedRequest extends LedgerRequest {
  readonly startedAtMs: number;
  readonly answeredAtMs: number;
  /** The answer's. */
  readonly status: number;
}
