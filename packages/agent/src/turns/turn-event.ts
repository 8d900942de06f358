import type { ApprovalRequest } from '../permissions/gate.ts';
import type { JsonValue, TokenUsage, ToolResult } from '../messages/message.ts';
import type { SessionRef } from '../session-ref.ts';
import type { TurnResult } from './turn-result.ts';

/** What every event says of where it happened. */
export interface EventPlace {
  /** The turn of the root session that all of it belongs to. */
  readonly turn: string;
  /** The session itself, or that of a sub-agent at work for it. */
  readonly session: SessionRef;
  /** The agent that works. */
  readonly agent: string;
}

/** What a turn shows as it goes (RL1). */
export type TurnEvent = EventPlace & TurnEventContent;

/** What happened, without where. */
export type TurnEventContent =
  | { readonly type: 'turn-start'; readonly messageId: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly callId: string;
      readonly name: string;
      readonly input: JsonValue;
    }
  | { readonly type: 'approval-request'; readonly request: ApprovalRequest }
  | { readonly type: 'tool-result'; readonly result: ToolResult }
  /** Of one answer of the model. */
  | {
      readonly type: 'usage';
      readonly model: { readonly provider: string; readonly id: string };
      readonly usage: TokenUsage;
    }
  /**
   * `recoverable`: a warning, and the stream goes on; any other fails the turn (R3). A sub-agent's failure that its
   * parent is told of, and goes on from, is recoverable.
   */
  | {
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
      readonly recoverable: boolean;
    }
  /** A message given while the turn ran has entered it (RL5). */
  | { readonly type: 'steered'; readonly messageId: string }
  | { readonly type: 'compaction'; readonly reason: 'threshold' | 'overflow' | 'command' }
  /**
   * The last of its session's. That of the root session is shown once the engine has let go, with the result that
   * `process` returns.
   */
  | { readonly type: 'turn-end'; readonly result: TurnResult };
