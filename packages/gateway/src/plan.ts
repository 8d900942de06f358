import type { Conversation } from './conversation/read.ts';
import type { LedgerEntry } from './ledger/ledger.ts';
import type { Asked } from './search/record.ts';
import type { EditDecision } from './threads/decision.ts';

/**
 * What goes upstream: the very bytes that came, an edited body (plain), or nothing yet. A conversation is named
 * wherever the request could be read as one.
 */
export type MessagesPlan =
  | {
      readonly type: 'unchanged';
      readonly reason: string;
      readonly conversation?: Conversation;
      readonly entry?: LedgerEntry;
    }
  | {
      readonly type: 'edited';
      readonly body: Buffer;
      readonly conversation: Conversation;
      readonly decision: EditDecision;
      /** Absent where nothing is deferred, and so nothing searched for. */
      readonly answer?: AnswerPlan;
      readonly entry: LedgerEntry;
    }
  /** As it came, but for declarations that its transcript names and it lacks (Q3). */
  | {
      readonly type: 'resolved';
      readonly body: Buffer;
      readonly conversation?: Conversation;
      readonly entry?: LedgerEntry;
    }
  /** As it came; where its thinking blocks turn out to fit another prefix, without them (O3). */
  | { readonly type: 'unreadable'; readonly conversation: Conversation; readonly entry: LedgerEntry }
  /** Without the thinking blocks that fit the prefix which the thread has lost (RF4). */
  | { readonly type: 'prefix-lost'; readonly conversation: Conversation; readonly entry: LedgerEntry }
  | { readonly type: 'wait' };

/** How the answer to a request with deferred tools is read. */
export interface AnswerPlan {
  /** Whether its client is not to see the searches in it (Q2). */
  readonly strips: boolean;
  readonly asked: Asked;
}
