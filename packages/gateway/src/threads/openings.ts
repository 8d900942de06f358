import type { Store } from '@quartermaster/store';
import type { Clock, Log } from '../options.ts';
import { type Decision, printDecision } from './decision.ts';
import type { ThreadQuestion } from './question.ts';

/** By what a fork, or a resume under a new id, finds the decision of the conversation that it continues (O5). */
export interface Openings {
  /** The stored decision of the thread that began as this one did. */
  find(question: ThreadQuestion): Promise<string | undefined>;
  /** Written in the background; what can't be written is logged, and a fork of this thread is then decided anew. */
  keep(question: Pick<ThreadQuestion, 'key' | 'opening'>, decision: Decision): void;
  /** The same for a decision that takes the place of the one that stands there (RF2). */
  replace(question: Pick<ThreadQuestion, 'key' | 'opening'>, decision: Decision): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export function createOpenings({
  store,
  clock,
  log,
}: {
  readonly store: Pick<Store, 'openings'> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): Openings {
  const underWay = new Set<Promise<void>>();

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

  function follow(work: Promise<void>): void {
    const writing = work
      .catch((error: unknown) => {
        const facts = { error: error instanceof Error ? error.name : typeof error };
        log.warn(
          facts,
          'the opening of a conversation could not be written; its forks will not be recognised',
        );
      })
      .finally(() => underWay.delete(writing));
    underWay.add(writing);
  }

  return {
    async find({ key, hasAssistantTurns, opening }) {
      const fingerprint = hasAssistantTurns ? opening() : undefined;
      return fingerprint === undefined ? undefined : store?.openings.find(key.tenant, fingerprint);
    },
    keep: (question, decision) => follow(write('save', question, decision)),
    replace: (question, decision) => follow(write('replace', question, decision)),
    async close() {
      await Promise.all(underWay);
    },
  };
}
