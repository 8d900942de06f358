import type { CacheControlEphemeral, ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';

import type { AnthropicMessage } from './join-messages.ts';

type Marked<Block> = Block & { readonly cache_control: CacheControlEphemeral };

/** The block with a cache mark. */
export function marked<Block extends object>(block: Block): Marked<Block> {
  return { ...block, cache_control: { type: 'ephemeral' } };
}

/**
 * Marks the end of the conversation and the end of the request before it. With the last tool and the system prompt
 * these are the four marks that there may be. The second is where the last request wrote the cache: it is found however
 * many blocks have come since, while the look-back from the end reaches over 20 (§1.13 of the wire contract).
 */
export function markCache(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const lastOfUser = (before: number): number =>
    messages.findLastIndex(({ role }, index) => role === 'user' && index < before);
  const ends = new Set([lastOfUser(messages.length), lastOfUser(answer)]);
  return messages.map((message, index) =>
    ends.has(index) && message.role === 'user' && typeof message.content !== 'string'
      ? { role: 'user', content: markLast(message.content) }
      : message,
  );
}

function markLast(blocks: readonly ContentBlockParam[]): ContentBlockParam[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? markBlock(block) : block));
}

/** What we send as a user is text or a tool's result; both take a mark. */
function markBlock(block: ContentBlockParam): ContentBlockParam {
  return block.type === 'text' || block.type === 'tool_result' ? marked(block) : block;
}
