import { textOf } from '../latin1.ts';

/** What the model reads of a content block or tool declaration, given as latin1 JSON: what its provider counts. */
export function renderedText(latin1: string): string {
  const json = textOf(latin1);
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || !('type' in value)) return json;
  const block = value as Readonly<Record<string, unknown>>;
  switch (block['type']) {
    case 'text':
      return String(block['text']);
    case 'thinking':
      return String(block['thinking']);
    case 'tool_use':
    case 'server_tool_use':
      return `${String(block['name'])} ${JSON.stringify(block['input'])}`;
    case 'tool_result':
      return resultText(block['content']);
    case 'tool_search_tool_result':
      return searchResultText(block['content']);
    default:
      return json;
  }
}

/** References show the definitions that they load, which are weighed apart; nothing found shows nothing. */
function searchResultText(content: unknown): string {
  const hasReferences = typeof content === 'object' && content !== null && 'tool_references' in content;
  return hasReferences ? '' : JSON.stringify(content);
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((item: unknown) => {
      const isText = typeof item === 'object' && item !== null && 'text' in item;
      return isText ? String(item.text) : JSON.stringify(item);
    })
    .join('\n');
}
