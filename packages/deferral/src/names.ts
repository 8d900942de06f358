import type { NamesPlace, NamesPosition, PlacedMessage } from './placement.ts';

/** Claude Code and other clients put their own system message here, straight after the first user message. */
const clientSystemIndex = 1;

const namesListOpening = `More tools are available than the loaded ones: those listed below. They are real, but their definitions are not loaded yet, so they cannot be called at once.
To use one of them, run the tool search with its exact name as the query and \`limit: 1\`, then call it like any other tool. One search loads one tool: search once for each tool you need. A tool that has been loaded stays loaded.
Names of the tools that can be loaded, one a line:`;

/**
 * The text that tells the model which deferred tools exist (RW2): the same for the same names, in any order.
 * It asks for an exact name and `limit: 1`, since a search without them may load several tools.
 *
 * `names` are those of the deferred tools, and of no other.
 */
export function namesListText(names: Iterable<string>): string {
  const sorted = [...new Set(names)].toSorted();
  return `${namesListOpening}\n${sorted.map(toLine).join('\n')}`;
}

/** Line breaks and the like are escaped: a name must not read as several, or as text of ours. */
function toLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * Picks the place of a thread's names list at its first request (RW2); it is stored with the decision (O7).
 * Only index 1 is looked at for the client's own system message: later ones come and go with the conversation.
 */
export function chooseNamesPlace(request: {
  /** Whether the model takes `role: "system"` in `messages`. */
  readonly acceptsSystemMessages: boolean;
  readonly messages: readonly PlacedMessage[];
}): NamesPlace {
  if (!request.acceptsSystemMessages) return 'top-level-system';
  return isLastingSystem(request.messages[clientSystemIndex])
    ? 'client-system-message'
    : 'own-system-message';
}

/**
 * Where a request of the thread takes the list, given the place stored for it.
 *
 * A client that has taken its system message away, or emptied it (Claude Code does after a compaction), changed the
 * prefix itself; the list then stands in a message of our own.
 */
export function namesPosition(place: NamesPlace, messages: readonly PlacedMessage[]): NamesPosition {
  if (place === 'top-level-system') return { type: 'top-level-system' };
  if (place === 'client-system-message' && isLastingSystem(messages[clientSystemIndex])) {
    return { type: 'inside-message', index: clientSystemIndex };
  }
  const index = firstLegalIndex(messages);
  return index === undefined ? { type: 'none' } : { type: 'new-message', index };
}

/**
 * A system message is legal straight after a user message, and only if no other user message follows before the
 * assistant's: so after the last user message of the opening, whatever system messages of the client's stand in it.
 */
function firstLegalIndex(messages: readonly PlacedMessage[]): number | undefined {
  const firstAnswer = messages.findIndex(({ role }) => role !== 'user' && role !== 'system');
  const opening = firstAnswer === -1 ? messages : messages.slice(0, firstAnswer);
  const lastUser = opening.findLastIndex(({ role }) => role === 'user');
  return lastUser === -1 ? undefined : lastUser + 1;
}

function isLastingSystem(message: PlacedMessage | undefined): boolean {
  return message !== undefined && message.role === 'system' && message.isLasting;
}
