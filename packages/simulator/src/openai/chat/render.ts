import { objectsIn, textOf } from '../../json.ts';
import { foldPrompt } from '../../prompt.ts';
import type { FlatPrompt, PromptPiece } from '../../prompt.ts';
import type { TokenCounter } from '../../token-counter.ts';
import { serviceTierOf } from '../billing.ts';
import { breakpointIn, renderContent } from '../content.ts';
import type { ChatMessage, ChatRequest } from './request.ts';

/** Rule 2 for Chat: what changes the whole prompt, then tools, then messages, the first ones of the system apart. */
export function renderChat({ body, model, messages }: ChatRequest, countTokens: TokenCounter): FlatPrompt {
  const head = JSON.stringify([
    model.id,
    body['response_format'] ?? null,
    body['verbosity'] ?? null,
    body['reasoning_effort'] ?? null,
    body['parallel_tool_calls'] !== false,
    serviceTierOf(body),
  ]);
  const firstTurn = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  return foldPrompt(
    head,
    [
      ...objectsIn(body['tools']).map((tool): PromptPiece => ({
        kind: 'tool',
        tag: '',
        text: JSON.stringify(tool),
      })),
      ...messages.map((message, index): PromptPiece => ({
        kind: index < firstTurn ? 'system' : 'message',
        tag: `${message.role}:${textOf(message.json['tool_call_id']) ?? ''}`,
        text: renderMessage(message),
        breakpoint: breakpointIn(message.json['content']),
      })),
    ],
    countTokens,
  );
}

function renderMessage({ json }: ChatMessage): string {
  const calls = objectsIn(json['tool_calls']).map(({ type, id: _, ...call }) =>
    JSON.stringify(call[String(type)]),
  );
  return [renderContent(json['content'] ?? json['refusal']), ...calls]
    .filter((text) => text !== '')
    .join('\n');
}
