import type { ModelRequest } from '../language-model.ts';

/** How a model of OpenAI thinks, read off its id. */
export interface OpenAiReasoning {
  /** Whether it thinks at all; such a model takes no temperature. */
  readonly thinks: boolean;
  /** Whether an effort can be asked for; other vendors' models are taken to allow it. */
  readonly takesEffort: boolean;
  /** The effort that comes nearest to not thinking. */
  readonly least: 'none' | 'minimal' | 'low';
}

/** `o3`, `gpt-5-mini`, `gpt-6.2-sol`; `gpt-5-chat-latest` and what came before do not think. */
export function reasoningOf(id: string): OpenAiReasoning {
  const version = /^gpt-(\d+(?:\.\d+)?)/.exec(id)?.[1];
  const isChat = id.includes('-chat');
  const thinks = /^o\d/.test(id) || (version !== undefined && Number(version) >= 5 && !isChat);
  const takesEffort = thinks || !/^(?:chat)?gpt-/.test(id);
  if (version === undefined) return { thinks, takesEffort, least: 'low' };
  return { thinks, takesEffort, least: Number(version) > 5 ? 'none' : 'minimal' };
}

/** The effort to ask for; `undefined` leaves it to the model. */
export function effortOf(
  reasoning: ModelRequest['reasoning'],
  { thinks, takesEffort, least }: OpenAiReasoning,
): 'none' | 'minimal' | 'low' | 'medium' | 'high' | undefined {
  if (!takesEffort) return undefined;
  if (reasoning !== 'off') return reasoning;
  return thinks ? least : undefined;
}
