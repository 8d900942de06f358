import type { Store } from '@quartermaster/store';
import type { Clock, Log } from '../options.ts';
import { type Decision, printDecision } from './decision.ts';
import type { ThreadQuestion } from './question.ts';

/** By what a fork, or a resume under a new id, finds the decision of the conversation that it continues (O5). */
export interface Openings {
  /** The stored decision of the thread that began as this one did. */
  find(question: ThreadQuestion): Promise<string | undefined>;
  /** Written in the background; what can't be written is logged, and a fork of this thread is then decided anew. */
  keep(question: ThreadQuestion, decision: Decision): void;
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

  async function save({ key, opening }: ThreadQuestion, decision: Decision): Promise<void> {
    const fingerprint = opening();
    if (fingerprint === undefined) return;
    const record = {
      tenant: key.tenant,
      fingerprint,
      decision: printDecision(decision),
      usedAtMs: clock.now(),
    };
    await store?.openings.save(record);
  }

  return {
    async find({ key, hasAssistantTurns, opening }) {
      const fingerprint = hasAssistantTurns ? opening() : undefined;
      return fingerprint === undefined ? undefined : store?.openings.find(key.tenant, fingerprint);
    },
    keep(question, decision) {
      const saving = save(question, decision)
        .catch((error: unknown) => {
          const facts = { error: error instanceof Error ? error.name : typeof error };
          log.warn(
            facts,
            'the opening of a conversation could not be written; its forks will not be recognised',
          );
        })
        .finally(() => underWay.delete(saving));
      underWay.add(saving);
    },
    async close() {
      await Promise.all(underWay);
    },
  };
}
