import { refuse } from '../../api-error.ts';
import { isObject, objectsIn, textOf } from '../../json.ts';
import type { Block, Message, Tool } from '../request.ts';

/** Rule 6: every reference in the history names a tool of `tools`, or one defined earlier (§1.16.2 row 2). */
export function checkReferences(tools: readonly Tool[], messages: readonly Message[]): void {
  const known = new Set(tools.map((tool) => tool.name));
  for (const block of messages.flatMap((message) => message.blocks)) {
    for (const name of referencesIn(block)) {
      if (!known.has(name)) throw refuse(`Tool reference '${name}' not found in available tools`);
    }
    const change = block.json['tool'];
    const definition = isObject(change) ? change['definition'] : undefined;
    if (isObject(definition)) known.add(textOf(definition['name']) ?? '');
  }
}

/** `tool_name` of the references in a search result or a client's `tool_result`, in order. */
export function referencesIn(block: Block): readonly string[] {
  const content = block.json['content'];
  const items =
    block.type === 'tool_search_tool_result' && isObject(content)
      ? objectsIn(content['tool_references'])
      : block.type === 'tool_result'
        ? objectsIn(content)
        : [];
  return items
    .filter((item) => item['type'] === 'tool_reference')
    .map((item) => textOf(item['tool_name']) ?? '');
}
