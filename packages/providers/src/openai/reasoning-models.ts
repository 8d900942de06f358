import type { ModelRequest } from '../language-model.ts';

/** How a model of OpenAI thinks, read off its id. */
export interface OpenAiReasoning {
  /** Whether it thinks at all; such a model takes no temperature. */
  readonly thinks: boolean;
  /** The effort that comes nearest to not thinking. */
  readonly least: 'none' | 'minimal' | 'low';
}

/** `o3`, `gpt-5-mini`, `gpt-6.2-sol`; `gpt-5-chat-latest` and what came before do not think. */
export function reasoningOf(id: string): OpenAiReasoning {
  const version = /^gpt-(\d+(?:\.\d+)?)/.exec(id)?.[1];
  const isChat = id.includes('-chat');
  const thinks = /^o\d/.test(id) || (version !== undefined && Number(version) >= 5 && !isChat);
  if (version === undefined) return { thinks, least: 'low' };
  return { thinks, least: Number(version) > 5 ? 'none' : 'minimal' };
}

/** The effort to ask for; `undefined` leaves it to the model. */
export function effortOf(
  reasoning: ModelRequest['reasoning'],
  { thinks, least }: OpenAiReasoning,
): 'none' | 'minimal' | 'low' | 'medium' | 'high' | undefined {
  if (reasoning !== 'off') return reasoning;
  return thinks ? least : undefined;
}
