import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { Block, MessagesRequest } from './request.ts';
import { referencesIn } from './validate/references.ts';

/**
 * The tools that the model can call now, with their definitions: those loaded from the start, those a reference in
 * the history loaded, those a system message added; without those one removed.
 */
export function loadedTools(
  request: Pick<MessagesRequest, 'tools' | 'messages'>,
): ReadonlyMap<string, JsonObject> {
  const declared = new Map(request.tools.map((tool) => [tool.name, tool.definition]));
  const eager = request.tools.filter((tool) => !tool.isDeferred && tool.kind === 'client');
  const loaded = new Map<string, JsonObject>(eager.map((tool) => [tool.name, tool.definition]));
  for (const block of request.messages.flatMap((message) => message.blocks)) {
    for (const name of referencesIn(block)) {
      const definition = declared.get(name);
      if (definition !== undefined) loaded.set(name, definition);
    }
    applyChange(block, loaded, declared);
  }
  return loaded;
}

function applyChange(
  block: Block,
  loaded: Map<string, JsonObject>,
  declared: ReadonlyMap<string, JsonObject>,
): void {
  const target = block.json['tool'];
  if (!isObject(target)) return;
  const inline = isObject(target['definition']) ? target['definition'] : undefined;
  const name = textOf(inline?.['name'] ?? target['name']);
  if (name === undefined) return;
  const definition = inline ?? declared.get(name);
  if (block.type === 'tool_removal') loaded.delete(name);
  else if (block.type === 'tool_addition' && definition !== undefined) loaded.set(name, definition);
}
