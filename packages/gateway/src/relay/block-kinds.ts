import { type AnswerBlock, memberText } from './content.ts';

/** Whether a block is a tool search of the provider's or what it found; of the result's name there are several spellings. */
export function isSearchBlock({ type, name }: Pick<AnswerBlock, 'type' | 'name'>): boolean {
  if (type === 'server_tool_use') return name?.startsWith('tool_search_tool_') ?? false;
  return isSearchResult(type);
}

/** Whether a block of this type is what a search found, or why it found nothing. */
export function isSearchResult(type: string): boolean {
  return type.startsWith('tool_search_tool_') && type.endsWith('result');
}

/** What a model may bind to all that stood before it. */
export function isThought({ type }: Pick<AnswerBlock, 'type'>): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** A text that says nothing: models write them, and providers refuse them. */
export function isBlank({ type, json }: Pick<AnswerBlock, 'type' | 'json'>): boolean {
  return type === 'text' && (memberText(json, 'text') ?? '').trim() === '';
}
