/** The entry that stands last in `tools` of a request with deferred tools (RW1), as ASCII JSON text. */
export const searchToolEntry = '{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}';

/**
 * Whether a tool entry's `type` is a tool search of Anthropic's, dated or by its undated alias:
 * a request that has one gets no entry of ours (RW1, Q1).
 */
export function isSearchTool(type: string | undefined): boolean {
  return type !== undefined && /^tool_search_tool_(?:bm25|regex)(?:_\d{8})?$/.test(type);
}
