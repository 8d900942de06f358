import type { Message } from '@quartermaster/agent/messages';
import type { ModelRequest, ToolDeclaration } from '@quartermaster/providers';
import type { RunnableAgent } from '../agents/runnable-agent.ts';
import type { HeldSession } from '../sessions/held-session.ts';

/** What one question to a model is made of. */
export interface RequestParts {
  readonly session: Pick<HeldSession, 'ref'>;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
}

/** The one place where a question to a model is made: of the session, its messages and the agent's tools. */
export function buildRequest(
  { system, parameters }: Pick<RunnableAgent, 'system' | 'parameters'>,
  { session, messages, tools }: RequestParts,
): ModelRequest {
  return { ...parameters, system, messages, tools, cacheKey: session.ref.session };
}
