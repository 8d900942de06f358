import { refuse } from '../../api-error.ts';
import { isObject } from '../../json.ts';
import type { Block, Message } from '../request.ts';

/** Blank text is refused wherever it stands; an effort-only system message is the one message without content. */
export function checkTexts(system: readonly Block[], messages: readonly Message[]): void {
  system.forEach((block) => checkBlank(block, 'system'));
  for (const [index, message] of messages.entries()) {
    const isFinalAssistant = message.role === 'assistant' && index === messages.length - 1;
    if (message.blocks.length === 0 && message.role !== 'system' && !isFinalAssistant) {
      throw refuse(
        `${message.path}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    message.blocks.forEach((block) => checkBlank(block, 'messages'));
  }
}

function checkBlank(block: Block, field: string): void {
  if (block.type !== 'text') return;
  const text = String(block.json['text']);
  if (text === '' && isObject(block.json['cache_control'])) {
    throw refuse(`${block.path}.text: cache_control cannot be set for empty text blocks`);
  }
  if (text === '') throw refuse(`${field}: text content blocks must be non-empty`);
  if (text.trim() === '') throw refuse(`${field}: text content blocks must contain non-whitespace text`);
}
