import { unitOf } from '@quartermaster/deferral';
import type { Tapped } from '../tap/tap.ts';
import { type Bookkeeper, createBookkeeper } from './book.ts';
import type { LedgerRequest } from './ledger-request.ts';
import { createSums, type Sums } from './sums.ts';
import { createThreadUses, type ThreadUses } from './thread-uses.ts';
import { createWeigher } from './weigher.ts';

/** What the ledger holds of one tenant; nothing of it is shared (law 8). */
export interface Account {
  readonly sums: Sums;
  readonly uses: ThreadUses;
  readonly bookkeeper: Bookkeeper;
}

/** An account with nothing in it. */
export function createAccount(countTokens: (text: string) => number): Account {
  const bookkeeper = createBookkeeper({ weigher: createWeigher(countTokens) });
  return { sums: createSums(), uses: createThreadUses(), bookkeeper };
}

/** LE4: deferred tools that this thread used for the first time, by its transcript or in its answer. */
export function guessedWrongly(
  account: Account,
  { conversation, deferral }: LedgerRequest,
  tapped: Tapped,
): number {
  const units = new Set(deferral?.decision.units);
  if (units.size === 0) return 0;
  const { session, agent, transcript } = conversation;
  const thread = JSON.stringify([session, agent]);
  const isDeferred = (name: string): boolean => units.has(unitOf(name));
  const called = tapped.type === 'told' ? [...tapped.facts.calls].filter(isDeferred) : [];
  const inTranscript = [...transcript.calledTools].filter(isDeferred);
  return (
    account.uses.noteTranscript(thread, inTranscript, !transcript.hasAssistantTurns) +
    account.uses.noteCalls(thread, called)
  );
}
