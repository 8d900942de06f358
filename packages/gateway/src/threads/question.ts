import type { ThreadKey } from '@quartermaster/store';
import type { Decision } from './decision.ts';

/** What a request shows of its conversation so far. */
export interface TranscriptFacts {
  readonly hasAssistantTurns: boolean;
  /** Whether thinking blocks stand in it that its model binds to the prefix. */
  readonly hasBoundThinking: boolean;
}

/**
 * `decided`: for life. `unreadable`: the record can't be read now, the request goes as it came. `wait`: the same where
 * that would be refused, so the client is asked to come again (O3).
 */
export type ThreadAnswer =
  | { readonly type: 'decided'; readonly decision: Decision; readonly isNew: boolean }
  | { readonly type: 'unreadable' }
  | { readonly type: 'wait' };

/**
 * `claim`: a new decision is durable before it is handed out. `read`: a stored one holds, a new one stays in memory.
 * `memory`: the store is not asked.
 */
export type Persistence = 'claim' | 'read' | 'memory';

/** One request's question to its thread, with what is needed where the thread is new. */
export interface ThreadQuestion extends TranscriptFacts {
  readonly key: ThreadKey;
  readonly persistence: Persistence;
  /** Decisions made before this were ended on request (O7). Epoch ms; absent where none were. */
  readonly endedAtMs?: number;
  /** Of the request, decoded: what ending the thread's decision would write to the cache anew. */
  readonly bodyBytes?: number;
  /** The fingerprint of the conversation's opening, where one can be told from others by it (O5). */
  readonly opening: () => string | undefined;
  /** Tells one opening of the thread from the next, as cheaply as every request can afford; `undefined` as `opening`. */
  readonly openingShape: string | undefined;
  /** Makes the decision of a thread that has none. */
  readonly decide: () => Decision | Promise<Decision>;
}
