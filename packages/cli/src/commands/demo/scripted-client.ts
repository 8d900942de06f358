import { CliError } from '../../errors.ts';
import { readMessage, type ContentBlock } from './message-stream.ts';
import { systemBlocks, type Session } from './sessions.ts';
import type { ToolDeclaration } from './declaration.ts';

interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly ContentBlock[];
}

export const demoModel = 'claude-opus-5-5';
/** A script that does not end would be a fault of ours. */
const maxTurns = 12;
const timeoutMs = 30_000;

/**
 * Plays one session as a coding agent does: sends everything anew with every turn, streams the answer, "runs" the
 * tools that it calls, and goes on until the model ends its turn. Sends what the model said back as it came.
 * Answers the names of the tools that a search brought. Raises `CLI_DEMO_FAILED` where an answer is not 200 or the
 * script does not end.
 */
export async function playSession(
  session: Session,
  target: { readonly baseUrl: string; readonly tools: readonly ToolDeclaration[] },
): Promise<readonly string[]> {
  const messages: Message[] = [
    { role: 'user', content: [textBlock(session.prompt)] },
    { role: 'system', content: [textBlock(session.environment)] },
  ];
  for (let turn = 0; turn < maxTurns; turn++) {
    const { content, stopReason } = await send(session, messages, target);
    messages.push({ role: 'assistant', content });
    if (stopReason !== 'tool_use') return messages.flatMap((message) => message.content).flatMap(foundBy);
    const calls = content.filter((block) => block.type === 'tool_use');
    messages.push({
      role: 'user',
      content: calls.map(({ id, name }) => resultOf(session, String(id), String(name))),
    });
  }
  throw new CliError('CLI_DEMO_FAILED', `Session ${session.id} did not end within ${maxTurns} turns.`);
}

async function send(
  session: Session,
  messages: readonly Message[],
  { baseUrl, tools }: { readonly baseUrl: string; readonly tools: readonly ToolDeclaration[] },
): ReturnType<typeof readMessage> {
  const response = await fetch(`${baseUrl}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'demo-key',
      'x-claude-code-session-id': session.id,
    },
    body: JSON.stringify({
      model: demoModel,
      messages: messages.map((message, index) =>
        index === messages.length - 1 ? markLast(message) : message,
      ),
      system: systemBlocks,
      tools,
      max_tokens: 32_000,
      thinking: { type: 'adaptive' },
      stream: true,
    }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.ok && response.body !== null) return readMessage(response.body);
  const answer = (await response.text()).slice(0, 500);
  throw new CliError(
    'CLI_DEMO_FAILED',
    `Expected an answer from ${baseUrl}, came ${response.status}: ${answer}`,
  );
}

/** The last block of the last message carries the mark that moves along with the conversation. */
function markLast({ role, content }: Message): Message {
  const marked = content.map((block, index) =>
    index === content.length - 1 ? { ...block, cache_control: { type: 'ephemeral' } } : block,
  );
  return { role, content: marked };
}

function resultOf({ results }: Session, id: string, name: string): ContentBlock {
  return { type: 'tool_result', tool_use_id: id, content: results[name] ?? 'done' };
}

/** The names in a search result; nothing for any other block. */
function foundBy({ type, content }: ContentBlock): readonly string[] {
  if (type !== 'tool_search_tool_result') return [];
  const { tool_references: references } = Object(content);
  return Array.isArray(references) ? references.map((reference) => String(Object(reference).tool_name)) : [];
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}
