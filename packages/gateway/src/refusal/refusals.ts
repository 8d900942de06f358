import type { Checks } from '../check/checks.ts';
import { checkKeyOf } from '../check/checks.ts';
import { openingOf } from '../conversation/opening.ts';
import { type Conversation, hasBoundThinking } from '../conversation/read.ts';
import type { Counters } from '../counters.ts';
import type { Log } from '../options.ts';
import type { EditDecision, NothingReason } from '../threads/decision.ts';
import type { Threads } from '../threads/threads.ts';
import type { TurnOffs } from './turn-offs.ts';
import type { RefusalLabel } from './wording.ts';

/** A round that the provider refused: nothing is booked as saved for it (RF6). */
export interface RefusedRound {
  readonly status: number;
  /** What the provider's text seems to say. */
  readonly label: RefusalLabel;
}

/** What follows from refusals, beyond the request at hand (RF2, RF4, RF6). */
export interface Refusals {
  /** The request is sent once more. */
  countRetry(conversation: Conversation, round: RefusedRound): void;
  /** The original succeeded where our rewrite did not: the proof that deferral broke it, if the thread was deferred. */
  prove(conversation: Conversation, path: string, decision: EditDecision): void;
  /** The thread went on without the thinking blocks that fit its old prefix only. */
  losePrefix(
    conversation: Conversation,
    reason: Extract<NothingReason, 'refused' | 'record-unreadable'>,
  ): void;
}

/** Keeps nothing itself: what follows is told to the parts given. */
export function createRefusals(options: {
  /** The name of the upstream that the verdicts speak about. */
  readonly upstream: string;
  readonly checks: Checks;
  readonly threads: Threads;
  readonly turnOffs: TurnOffs;
  readonly counters: Counters;
  readonly log: Log;
}): Refusals {
  const { checks, threads, turnOffs, counters, log } = options;
  return {
    countRetry({ modelId }, round) {
      counters.retries400 += 1;
      log.warn({ model: modelId, ...round }, 'the provider refused a request; it is sent once more');
    },
    prove(conversation, path, decision) {
      const { tenant, modelId } = conversation;
      threads.giveUp(threadOf(conversation), { type: 'nothing', reason: 'refused' });
      if (decision.type === 'remove') {
        log.warn(
          { model: modelId },
          'the original request succeeded where the one with tools removed was refused: the thread is left alone',
        );
        return;
      }
      // Its thinking blocks fit the original prefix, so this thread has not been deferred: another gateway gave it up, or
      // its first answer was made while its record could not be read. That proves nothing about new threads.
      if (hasBoundThinking(conversation)) {
        log.warn(
          { model: modelId },
          'a thread that had gone as it came was rewritten; it is left alone from now on',
        );
        return;
      }
      counters.turnedOff += 1;
      turnOffs.start(tenant, modelId);
      checks.drop(checkKeyOf(options.upstream, modelId, path));
      log.warn(
        { model: modelId },
        'the original request succeeded where the rewritten one was refused: no deferral on this model for 24 h',
      );
    },
    losePrefix(conversation, reason) {
      // An unreadable record has been counted as a flip already (O3).
      if (reason === 'refused') counters.flips += 1;
      threads.giveUp(threadOf(conversation), { type: 'nothing', reason, hasLostPrefix: true });
      log.warn(
        { model: conversation.modelId, reason },
        'a thread lost its prefix: its older thinking blocks are dropped, and it is left alone from now on',
      );
    },
  };
}

function threadOf({ tenant, session, agent, outline, text }: Conversation) {
  return { key: { tenant, session, agent }, opening: () => openingOf(outline, text) };
}
