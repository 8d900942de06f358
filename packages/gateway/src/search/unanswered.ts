import {
  asciiJson,
  type Edit,
  insertItemAfter,
  type Message,
  type MessagesOutline,
} from '@quartermaster/wire';
import { isSearchBlock, isSearchResult } from '../relay/block-kinds.ts';

/**
 * Gives every search of an earlier turn that has no result one that says so (law 6). An answer that broke off, or met the
 * output's limit, can end with a search: a client that was shown it sends it back, and the provider would refuse the
 * conversation from then on. The last turn is left alone, since it may still be continued.
 */
export function answeringEdits({ messages }: Pick<MessagesOutline, 'messages'>): readonly Edit[] {
  const items = messages?.items ?? [];
  const lastPrompt = items.findLastIndex(({ role }) => role === 'user');
  const results = searchesIn(items).filter(({ type }) => isSearchResult(type));
  const answered = new Set(results.map(({ callId }) => callId));
  return searchesIn(items.slice(0, Math.max(lastPrompt, 0)))
    .filter(({ type, callId }) => !isSearchResult(type) && !answered.has(callId))
    .map(({ span, callId }) => insertItemAfter(span, noResult(callId)));
}

function searchesIn(messages: readonly Message[]): Message['content']['blocks'] {
  return messages.flatMap(({ content }) => content.blocks).filter(isSearchBlock);
}

function noResult(callId: string | undefined): string {
  const content = { type: 'tool_search_tool_result_error', error_code: 'unavailable' };
  return asciiJson({ type: 'tool_search_tool_result', tool_use_id: callId, content });
}
