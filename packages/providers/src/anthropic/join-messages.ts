import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { BetaRequestToolAdditionBlock } from '@anthropic-ai/sdk/resources/beta/messages';
import type { Message } from '@quartermaster/agent/messages';
import type { ToolDeclaration } from '../language-model.ts';

/** A message that adds tools, as the beta API takes one among the others. */
interface ToolAdditions {
  readonly role: 'system';
  readonly content: BetaRequestToolAdditionBlock[];
}

/** What goes into `messages`. */
export type AnthropicMessage = MessageParam | ToolAdditions;

/**
 * The messages in their order, with the tools that enter at the end of one. A system message stands behind a user's turn
 * and before the answer to it, so that where one user's message follows another the tools enter behind the last of them.
 */
export function joinMessages(
  messages: readonly Message[],
  afterMessage: ReadonlyMap<string, readonly ToolDeclaration[]>,
  toMessage: (message: Message) => readonly MessageParam[],
): readonly AnthropicMessage[] {
  const joined: AnthropicMessage[] = [];
  let entering: readonly ToolDeclaration[] = [];
  const addTools = (): void => {
    if (entering.length > 0) joined.push({ role: 'system', content: entering.map(toAddition) });
    entering = [];
  };
  for (const message of messages) {
    const sent = toMessage(message);
    if (sent.some(({ role }) => role === 'assistant')) addTools();
    joined.push(...sent);
    entering = [...entering, ...(afterMessage.get(message.id) ?? [])];
  }
  addTools();
  return joined;
}

function toAddition({ name }: ToolDeclaration): BetaRequestToolAdditionBlock {
  return { type: 'tool_addition', tool: { type: 'tool_reference', name } };
}
