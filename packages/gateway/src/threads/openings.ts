import type { Store } from '@quartermaster/store';
import type { Clock, Log } from '../options.ts';
import { type Decision, printDecision } from './decision.ts';
import type { ThreadQuestion } from './threads.ts';

/** By what a fork, or a resume under a new id, finds the decision of the conversation that it continues (O5). */
export interface Openings {
  /** The stored decision of the thread that began as this one did. */
  find(question: ThreadQuestion): Promise<string | undefined>;
  /** Whether it could be written; where not, that is logged, and a fork of this thread is decided anew. Never rejects. */
  keep(question: ThreadQuestion, decision: Decision): Promise<boolean>;
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
  const underWay = new Set<Promise<boolean>>();

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
        .then(() => true)
        .catch((error: unknown) => {
          const facts = { error: error instanceof Error ? error.name : typeof error };
          log.warn(
            facts,
            'the opening of a conversation could not be written; its forks will not be recognised',
          );
          return false;
        })
        .finally(() => underWay.delete(saving));
      underWay.add(saving);
      return saving;
    },
    async close() {
      await Promise.all(underWay);
    },
  };
}
