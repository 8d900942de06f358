import type { Conversation } from '../conversation/read.ts';
import type { Decider } from '../decide.ts';
import { rewriteMessages } from '../rewrite/anthropic.ts';
import type { Decision } from '../threads/decision.ts';
import type { Deferral } from './layout.ts';
import type { Ledger } from './ledger.ts';

/**
 * Tells what `ultrahigh` would do to a request, if its upstream supports deferral: the same rule, over the same
 * history, once per thread. Its decisions live in memory only, so that nothing of them can ever reach a request.
 */
export interface Projector {
  /** `undefined`: nothing. */
  project(conversation: Conversation): Deferral | undefined;
}

const maxThreads = 20_000;

export function createProjector({
  decider,
  ledger,
}: {
  readonly decider: Decider;
  readonly ledger: Ledger;
}): Projector {
  const decisions = new Map<string, Decision>();

  function decisionFor(conversation: Conversation): Decision {
    const { tenant, session, agent } = conversation;
    const thread = JSON.stringify([tenant, session, agent]);
    const known = decisions.get(thread);
    const decision = known ?? decide(conversation);
    decisions.delete(thread);
    decisions.set(thread, decision);
    const [oldest] = decisions.keys();
    if (decisions.size > maxThreads && oldest !== undefined) decisions.delete(oldest);
    return decision;
  }

  function decide(conversation: Conversation): Decision {
    const decision = decider.decide(conversation, {
      isBypassed: false,
      isDeferralOn: true,
      isOptedOut: false,
      isTurnedOff: false,
      hasStore: true,
      verdict: () => 'pass',
    });
    ledger.projected(conversation.tenant, decision);
    return decision;
  }

  return {
    project(conversation) {
      const decision = decisionFor(conversation);
      if (decision.type === 'nothing') return undefined;
      const rewrite = rewriteMessages(conversation.text, conversation.outline, decision);
      return rewrite.type === 'unchanged' ? undefined : { decision, shape: rewrite.shape };
    },
  };
}
