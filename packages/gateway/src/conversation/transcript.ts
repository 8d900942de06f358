import type { MessagesOutline } from '@quartermaster/wire';

/** What the messages of a request tell of the conversation so far. */
export interface Transcript {
  /** Tools that were called, and tools that any search loaded (RU7). */
  readonly usedTools: ReadonlySet<string>;
  /** Those of them that were called. */
  readonly calledTools: ReadonlySet<string>;
  /** Tools that a server-side search loaded; ours, where the client has no such search tool. */
  readonly foundBySearch: ReadonlySet<string>;
  readonly hasAssistantTurns: boolean;
  /** Whether thinking blocks stand in it that a model may have bound to the prefix. */
  readonly hasSignedThinking: boolean;
}

/** Reads the messages in one pass. */
export function transcriptOf(outline: MessagesOutline): Transcript {
  const usedTools = new Set<string>();
  const calledTools = new Set<string>();
  const foundBySearch = new Set<string>();
  let hasAssistantTurns = false;
  let hasSignedThinking = false;
  for (const { role, content } of outline.messages?.items ?? []) {
    hasAssistantTurns ||= role === 'assistant';
    for (const block of content.blocks) {
      hasSignedThinking ||= block.isSigned;
      if (block.type === 'tool_use' && block.name !== undefined) calledTools.add(block.name);
      for (const name of block.references) {
        usedTools.add(name);
        if (block.type === 'tool_search_tool_result') foundBySearch.add(name);
      }
    }
  }
  for (const name of calledTools) usedTools.add(name);
  return { usedTools, calledTools, foundBySearch, hasAssistantTurns, hasSignedThinking };
}
