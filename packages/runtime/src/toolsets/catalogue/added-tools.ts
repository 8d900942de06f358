import { callsOf } from '../../sessions/history.ts';
import type { History } from '../../sessions/history.ts';
import { addToolInput } from './add-tool-input.ts';
import { addToolName } from './tool-names.ts';

/**
 * The names of the tools that a session's model added, in the order in which it did. A pure function of the whole log,
 * also of what a summary stands for by now: after a restart or a compaction they are what they were, and a copy of a
 * session has those that were added in what it has copied.
 */
export function addedTools({ entries }: Pick<History, 'entries'>): ReadonlySet<string> {
  const messages = entries.map(({ message }) => message);
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const succeeded = new Set(
    results.filter(({ outcome }) => outcome === 'completed').map(({ callId }) => callId),
  );
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? callsOf(message) : []));
  return new Set(
    calls
      .filter(({ name, callId }) => name === addToolName && succeeded.has(callId))
      .flatMap(({ input }) => addToolInput.safeParse(input).data?.name ?? []),
  );
}
