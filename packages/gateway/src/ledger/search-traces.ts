import { isSearchTool, unitOf } from '@quartermaster/deferral';
import type { ContentBlock, Message, ToolEntry } from '@quartermaster/wire';
import type { Decision } from '../threads/decision.ts';

/** What the transcript of a thread with deferred tools holds only because of them. */
export interface SearchTraces {
  /** Ids of the searches that the gateway's own search entry made possible. */
  readonly callIds: ReadonlySet<string>;
  /** The deferred tool that `block` calls, if nothing in `loaded` is it; it is added there. */
  firstUse(block: ContentBlock, loaded: Set<string>): string | undefined;
}

/**
 * Finds the searches that would not have been made without deferral: all of them where the search tool is ours, else
 * those that loaded tools of ours. (A search that failed for the client's own tools is the client's.)
 */
export function searchTraces(
  messages: readonly Message[],
  tools: readonly ToolEntry[],
  deferral: { readonly decision: Extract<Decision, { type: 'defer' }> } | undefined,
): SearchTraces {
  const units = new Set(deferral?.decision.units);
  const isOurSearch = !tools.some(({ type }) => isSearchTool(type));
  const callIds = new Set<string>();
  const results = deferral === undefined ? [] : messages.flatMap(({ content }) => content.blocks);
  for (const { type, callId, references } of results) {
    if (type !== 'tool_search_tool_result' || callId === undefined) continue;
    if (isOurSearch || references.some((name) => units.has(unitOf(name)))) callIds.add(callId);
  }
  return {
    callIds,
    firstUse({ type, name }, loaded) {
      if (type !== 'tool_use' || name === undefined || !units.has(unitOf(name)) || loaded.has(name)) {
        return undefined;
      }
      loaded.add(name);
      return name;
    },
  };
}

/** Whether a block is such a search or its result. */
export function isGatewaySearch({ type, callId }: ContentBlock, { callIds }: SearchTraces): boolean {
  const isSearch = type === 'server_tool_use' || type === 'tool_search_tool_result';
  return isSearch && callId !== undefined && callIds.has(callId);
}
