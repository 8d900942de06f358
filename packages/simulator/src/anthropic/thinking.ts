import { createHmac, hash } from 'node:crypto';
import { ApiError, refuse } from '../api-error.ts';
import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { RenderedPrompt } from './render.ts';
import type { Block, MessagesRequest } from './request.ts';

/** Fixed, so that a conversation outlives a restart of the simulator. */
const key = 'quartermaster simulator';

/** What the check of a request's thinking blocks came to. */
export interface BindingOutcome {
  /** The request without the blocks that were dropped. */
  readonly request: MessagesRequest;
  readonly dropped: readonly Block[];
}

/** A thinking block that stands in another conversation than the one it was made in (§1.11). */
export class BindingError extends ApiError {
  constructor(block: Block) {
    super(
      'invalid_request_error',
      `${block.path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. ` +
        'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    );
  }
}

/** A signature over a thinking text at a place in a conversation: the place, proof that we signed it, proof of the text. */
export function signThinking(thinking: string, binding: string): string {
  return Buffer.from(`${binding}.${proof(binding)}.${proof(binding + hash('sha256', thinking))}`).toString(
    'base64',
  );
}

/**
 * Rule 14: every thinking block of the history is one that we signed, unaltered, and — on a model that binds them —
 * stands in the conversation it was made in. With `prefix_mismatch_behavior: "drop_block"` the others are left out.
 */
export function checkThinking(request: MessagesRequest, prompt: RenderedPrompt): BindingOutcome {
  const last = request.messages.findLast((message) => message.role === 'assistant');
  const dropped: Block[] = [];
  for (const [block, binding] of prompt.bindings) {
    if (block.type !== 'thinking') continue;
    const signed = readSignature(block);
    if (signed === undefined) throw refuse(`${block.path}: Invalid \`signature\` in \`thinking\` block`);
    if (!signed.isUnaltered) throw alteredError(block, last?.blocks.includes(block) === true);
    if (!request.model.capabilities.boundThinking || signed.binding === binding) continue;
    if (!dropsMismatches(request)) throw new BindingError(block);
    dropped.push(block);
  }
  return { request: withoutBlocks(request, dropped), dropped };
}

/** The entries of `input_transformations`, one per dropped block. */
export function transformationsOf(dropped: readonly Block[]): readonly JsonObject[] {
  return dropped.map((block) => ({
    type: 'thinking_dropped',
    path: block.path,
    reason: 'prefix_binding_mismatch',
  }));
}

function readSignature(
  block: Block,
): { readonly binding: string; readonly isUnaltered: boolean } | undefined {
  const text = Buffer.from(textOf(block.json['signature']) ?? '', 'base64').toString('latin1');
  const [binding = '', place, content] = text.split('.');
  if (place === undefined || place !== proof(binding)) return undefined;
  const thinking = textOf(block.json['thinking']) ?? '';
  return { binding, isUnaltered: content === proof(binding + hash('sha256', thinking)) };
}

function proof(text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
}

/** The member only passes the checks under its beta. */
function dropsMismatches({ body }: MessagesRequest): boolean {
  const binding = isObject(body['thinking']) ? body['thinking']['block_binding'] : undefined;
  return isObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block';
}

function withoutBlocks(request: MessagesRequest, dropped: readonly Block[]): MessagesRequest {
  if (dropped.length === 0) return request;
  const messages = request.messages.map((message) => ({
    ...message,
    blocks: message.blocks.filter((block) => !dropped.includes(block)),
  }));
  return { ...request, messages };
}

function alteredError(block: Block, isLatest: boolean): Error {
  if (!isLatest) return refuse(`${block.path}: Invalid \`signature\` in \`thinking\` block`);
  return refuse(
    `${block.path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
      'These blocks must remain as they were in the original response.',
  );
}
