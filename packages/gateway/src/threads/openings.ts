import type { Store } from '@quartermaster/store';
import { nameOf } from '../errors.ts';
import { detach } from '../latin1.ts';
import type { Clock, Log } from '../options.ts';
import { type Decision, printDecision } from './decision.ts';
import type { ThreadQuestion } from './question.ts';

/** By what a fork, or a resume under a new id, finds the decision of the conversation that it continues (O5). */
export interface Openings {
  /** The stored decision of the thread that began as this one did. */
  find(question: ThreadQuestion): Promise<string | undefined>;
  /**
   * Keeps the opening where it is whole and not the one that `kept` names, which then names it. Written in the background;
   * what can't be written is logged, and tried again with a later request.
   */
  keepOnce(kept: KeptOpening, question: ThreadQuestion, decision: Decision): void;
  /** Puts a decision in the place of the one that stands there (RF2). */
  replace(question: Pick<ThreadQuestion, 'key' | 'opening'>, decision: Decision): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Which opening of a thread is in the store: a compaction makes another. */
export interface KeptOpening {
  shape: string | undefined;
}

/** Without a store nothing is kept, and no thread finds another. */
export function createOpenings({
  store,
  clock,
  log,
}: {
  readonly store: Pick<Store, 'openings'> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): Openings {
  const underWay = new Set<Promise<boolean>>();

  async function write(
    name: 'save' | 'replace',
    { key, opening }: Pick<ThreadQuestion, 'key' | 'opening'>,
    decision: Decision,
  ): Promise<void> {
    const fingerprint = opening();
    if (fingerprint === undefined) return;
    const record = {
      tenant: key.tenant,
      fingerprint,
      decision: printDecision(decision),
      usedAtMs: clock.now(),
    };
    await store?.openings[name](record);
  }

  /** Whether it was done. Never rejects. */
  function follow(work: Promise<void>): Promise<boolean> {
    const writing = work
      .then(() => true)
      .catch((error: unknown) => {
        const facts = { error: nameOf(error) };
        log.warn(
          facts,
          'the opening of a conversation could not be written; its forks will not be recognised',
        );
        return false;
      })
      .finally(() => underWay.delete(writing));
    underWay.add(writing);
    return writing;
  }

  return {
    async find({ key, hasAssistantTurns, opening }) {
      const fingerprint = hasAssistantTurns ? opening() : undefined;
      return fingerprint === undefined ? undefined : store?.openings.find(key.tenant, fingerprint);
    },
    keepOnce(kept, question, decision) {
      const { openingShape, persistence } = question;
      if (persistence !== 'claim' || openingShape === undefined || openingShape === kept.shape) return;
      kept.shape = detach(openingShape);
      void follow(write('save', question, decision)).then((isWritten) => {
        if (!isWritten && kept.shape === openingShape) kept.shape = undefined;
      });
    },
    replace(question, decision) {
      void follow(write('replace', question, decision));
    },
    async close() {
      await Promise.all(underWay);
    },
  };
}
