import { refuse } from '../../api-error.ts';
import type { Message, MessagesRequest } from '../request.ts';

/** Rule 5: who may stand where (§1.10.1; §1.16.2 rows 15, 23). */
export function checkPlacement({ messages, rules }: Pick<MessagesRequest, 'messages' | 'rules'>): void {
  const spoken = messages.filter((message) => message.role !== 'system');
  if (spoken[0]?.role !== 'user') throw refuse('messages: first message must use the "user" role');
  messages.forEach((message, index) => {
    if (message.role === 'system' && message.blocks.length > 0) checkSystemPlace(messages, index);
  });
  const last = spoken.at(-1);
  if (last?.role === 'assistant' && !rules.prefill && !endsInServerTool(last)) {
    throw refuse(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
}

/** Whether a turn ends with the provider's own tool: a paused turn, which is continued by sending it back (§1.12). */
function endsInServerTool(message: Message): boolean {
  const type = message.blocks.at(-1)?.type ?? '';
  return type === 'server_tool_use' || (type.endsWith('_tool_result') && type !== 'tool_result');
}

/** A run of system messages is judged as one group. */
function checkSystemPlace(messages: readonly Message[], index: number): void {
  const path = messages[index]?.path ?? '';
  const before = messages.slice(0, index).findLast((message) => message.role !== 'system');
  if (before === undefined) throw refuse(`${path}: a system message must not come first`);
  if (before.role === 'assistant' && !endsInServerTool(before)) {
    throw refuse(`${path}: a system message must directly follow a user message or a server tool result`);
  }
  if (before.role === 'assistant' && messages[index]?.blocks.some(({ type }) => type !== 'text') === true) {
    throw refuse(`${path}: tools can't be changed directly after a paused assistant message, text only`);
  }
  const after = messages.slice(index + 1).find((message) => message.role !== 'system');
  if (after !== undefined && after.role !== 'assistant') {
    throw refuse(`${path}: a system message must be the last message or be followed by an assistant message`);
  }
}
