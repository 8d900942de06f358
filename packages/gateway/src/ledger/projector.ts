import type { Conversation } from '../conversation/read.ts';
import type { Decider } from '../decide.ts';
import { setYoungest } from '../drop-oldest.ts';
import { rewriteMessages } from '../rewrite/anthropic.ts';
import type { Decision } from '../threads/decision.ts';
import { threadId } from '../threads/thread-id.ts';
import type { Deferral } from './layout.ts';
import type { Ledger } from './ledger.ts';

/**
 * Tells what `ultrahigh` would do to a request, if its upstream supports deferral: the same rule, over the same
 * history, once per thread. Its decisions live in memory only, so that nothing of them can ever reach a request.
 */
export interface Projector {
  /** `undefined`: nothing. `keep`: of the account (RU4). What it has listed for removal is projected as it is now: there. */
  project(conversation: Conversation, keep: readonly string[]): Deferral | undefined;
}

const maxThreads = 20_000;

/** Remembers what it has projected for each thread, up to a bound: a projection is as steady as a decision. */
export function createProjector({
  decider,
  ledger,
}: {
  readonly decider: Decider;
  readonly ledger: Ledger;
}): Projector {
  const decisions = new Map<string, Decision>();

  function decisionFor(conversation: Conversation, keep: readonly string[]): Decision {
    const thread = threadId(conversation);
    const known = decisions.get(thread);
    const decision = known ?? decide(conversation, keep);
    setYoungest(decisions, thread, decision, maxThreads);
    return decision;
  }

  function decide(conversation: Conversation, keep: readonly string[]): Decision {
    const decision = decider.decide(conversation, {
      isBypassed: false,
      isDeferralOn: true,
      isOptedOut: false,
      isTurnedOff: false,
      hasStore: true,
      remove: [],
      loadedBefore: [],
      keep,
      verdict: () => 'pass',
    });
    ledger.projected(conversation.tenant, decision);
    return decision;
  }

  return {
    project(conversation, keep) {
      const decision = decisionFor(conversation, keep);
      if (decision.type !== 'defer') return undefined;
      const rewrite = rewriteMessages(conversation.text, conversation.outline, decision);
      const shape = rewrite.type === 'edits' ? rewrite.shape.deferral : undefined;
      return shape && { decision, shape };
    },
  };
}
