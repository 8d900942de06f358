import { createHash } from 'node:crypto';
import type { Content, ContentBlock, Message, MessagesOutline, Span } from '@quartermaster/wire';
import { textOf } from '../latin1.ts';

/**
 * Names how a conversation began (O5): its system prompt without the billing line, and its messages up to and including
 * the first answer that tells it from another that began alike; without marks, a string the same as one text block.
 * `undefined` where there is no such answer: it holds a tool call's id or a signature.
 */
export function openingOf(outline: MessagesOutline, text: string): string | undefined {
  const opening = findOpening(outline);
  if (opening === undefined) return undefined;
  const hash = createHash('sha256');
  hash.update(JSON.stringify(blocksOf(outline.system, text).filter((block) => !isBillingLine(block))));
  for (const { role, content } of opening.messages) {
    hash.update(JSON.stringify([role, blocksOf(content, text)]));
  }
  return hash.digest('hex');
}

/**
 * Where this has changed the opening may have, and nowhere else: the model, to which clients suit what they say of
 * themselves, the lengths of all that stands there, and the bytes of the block by which it is told.
 */
export function openingShapeOf({
  modelId,
  outline,
  text,
}: {
  readonly modelId: string;
  readonly outline: MessagesOutline;
  readonly text: string;
}): string | undefined {
  const opening = findOpening(outline);
  if (opening === undefined) return undefined;
  const system = (outline.system?.blocks ?? []).filter(({ span }) => !hasBillingLine(text, span));
  const parts = [...system, ...opening.messages.map(({ content }) => content)];
  const lengths = parts.map(({ span }) => span.end - span.start);
  const { span } = opening.telling;
  return `${modelId} ${lengths.join(' ')} ${text.slice(span.start, span.end)}`;
}

interface Opening {
  readonly messages: readonly Message[];
  /** In the last of them. */
  readonly telling: ContentBlock;
}

function findOpening({ messages }: MessagesOutline): Opening | undefined {
  for (const [index, message] of (messages?.items ?? []).entries()) {
    const telling = tellingBlock(message);
    if (telling !== undefined) return { messages: messages?.items.slice(0, index + 1) ?? [], telling };
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
  return textIn(block)?.startsWith(billingHeader) ?? false;
}

const billingHeader = 'x-anthropic-billing-header:';

/** The same of a block that is not parsed: a text stands behind its type. Every request asks, so the rest is not looked at. */
function hasBillingLine(text: string, { start, end }: Span): boolean {
  return text.slice(start, Math.min(end, start + 96)).includes(billingHeader);
}

/** The text of a parsed block; `undefined` where it has none. */
export function textIn(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null || !('text' in block)) return undefined;
  return typeof block.text === 'string' ? block.text : undefined;
}
