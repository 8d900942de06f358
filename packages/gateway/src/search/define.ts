import { appendItem, type Edit, type MessagesOutline, replaceValue, setMember } from '@quartermaster/wire';
import { referencedTools } from '../rewrite/tools.ts';
import { isSearchResult } from '../relay/block-kinds.ts';

/** The tools that a request's transcript names, or will once `restored` are in it, and that its `tools` lack (law 5). */
export function undefinedTools(outline: MessagesOutline, restored: Iterable<string> = []): readonly string[] {
  const declared = new Set((outline.tools?.items ?? []).map(({ name }) => name));
  return [...new Set([...referencedTools(outline), ...restored])].filter((name) => !declared.has(name));
}

/** Ids of the searches in the transcript that loaded one of these tools. */
export function searchesOf({ messages }: MessagesOutline, tools: readonly string[]): readonly string[] {
  const blocks = (messages?.items ?? []).flatMap(({ content }) => content.blocks);
  const results = blocks.filter(({ type }) => isSearchResult(type));
  const loading = results.filter(({ references }) => references.some((name) => tools.includes(name)));
  return loading.flatMap(({ callId }) => callId ?? []);
}

/**
 * Gives a request the declarations that its transcript needs (Q3), deferred. Where no tool of its own would be loaded the
 * search tool is, since one has to be; where it declared none at all, the model is not to call one either.
 */
export function definingEdits(
  text: string,
  outline: MessagesOutline,
  { definitions, searchTool }: { readonly definitions: readonly string[]; readonly searchTool: string },
): readonly Edit[] {
  if (definitions.length === 0) return [];
  const { tools } = outline;
  if (tools !== undefined && tools.items.length > 0) {
    const isLoaded = tools.items.some(({ isDeferred }) => !isDeferred);
    const added = isLoaded ? definitions : [...definitions, searchTool];
    return [appendItem(tools.span, text, added.join(','))];
  }
  const list = `[${[...definitions, searchTool].join(',')}]`;
  const declared =
    tools === undefined ? setMember(outline.span, text, 'tools', list) : replaceValue(tools.span, list);
  if (outline.toolChoice !== undefined) return [declared];
  return [declared, setMember(outline.span, text, 'tool_choice', '{"type":"none"}')];
}
