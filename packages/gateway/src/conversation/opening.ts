import { createHash } from 'node:crypto';
import type { Content, ContentBlock, Message, MessagesOutline } from '@quartermaster/wire';
import { textOf } from '../latin1.ts';

/**
 * Names how a conversation began (O5): its system prompt without the billing line, and its messages up to and including
 * the first answer that tells it from another that began alike; without marks, a string the same as one text block.
 * `undefined` where there is no such answer: it holds a tool call's id or a signature.
 */
export function openingOf(outline: MessagesOutline, text: string): string | undefined {
  const messages = outline.messages?.items ?? [];
  const end = messages.findIndex((message) => tellingBlock(message) !== undefined);
  if (end === -1) return undefined;
  const hash = createHash('sha256');
  hash.update(JSON.stringify(blocksOf(outline.system, text).filter((block) => !isBillingLine(block))));
  for (const { role, content } of messages.slice(0, end + 1)) {
    hash.update(JSON.stringify([role, blocksOf(content, text)]));
  }
  return hash.digest('hex');
}

/** The bytes of that answer's first telling block: an opening has changed only where these have. */
export function firstAnswerOf(outline: MessagesOutline, text: string): string | undefined {
  for (const message of outline.messages?.items ?? []) {
    const block = tellingBlock(message);
    if (block !== undefined) return text.slice(block.span.start, block.span.end);
  }
  return undefined;
}

function tellingBlock({ role, content }: Message): ContentBlock | undefined {
  if (role !== 'assistant') return undefined;
  return content.blocks.find((block) => block.callId !== undefined || block.isSigned);
}

/** The blocks of a content as they are rendered: marks gone, both spellings alike. */
export function blocksOf(content: Content | undefined, text: string): readonly unknown[] {
  if (content === undefined) return [];
  const json = textOf(text.slice(content.span.start, content.span.end));
  const parsed: unknown = JSON.parse(json, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return Array.isArray(parsed) ? parsed : [{ type: 'text', text: parsed }];
}

/** Claude Code's first system block changes with the prompt and is never cached. */
export function isBillingLine(block: unknown): boolean {
  return textIn(block)?.startsWith('x-anthropic-billing-header:') ?? false;
}

/** The text of a parsed block; `undefined` where it has none. */
export function textIn(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null || !('text' in block)) return undefined;
  return typeof block.text === 'string' ? block.text : undefined;
}
