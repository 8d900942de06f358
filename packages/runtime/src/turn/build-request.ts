import type { Message } from '@quartermaster/agent/messages';
import type { ModelRequest, ToolDeclaration } from '@quartermaster/providers';
import { messagesUnder } from '../sessions/history.ts';
import type { HistoryEntry } from '../sessions/history.ts';
import type { CacheNote } from '../sessions/item.ts';
import { declareKnownTools, declareTools, positionIn } from './declare-tools.ts';
import { keepFound } from './found-tools.ts';
import { nameBeginning } from './name-beginning.ts';
import type { Work } from './work.ts';

/** A question to a model, and what has to be kept of how it was put. */
export interface BuiltRequest {
  readonly request: ModelRequest;
  /** As `nameBeginning` names it. */
  readonly beginning: string;
  readonly note: CacheNote;
}

type Asker = Pick<Work, 'agent' | 'session' | 'model' | 'openToolbox'>;

/** The next question of a turn. What it is the first to say of tools is durable before it is sent (DP2). */
export async function buildRequest(
  work: Asker,
  conversation: readonly HistoryEntry[],
): Promise<BuiltRequest> {
  const { session, model } = work;
  const present = work.openToolbox().declarations;
  const position = positionIn(
    conversation.map(({ message }) => message),
    model,
  );
  const declared = declareTools(session.tools(), present, position);
  const { declarations, changed, breaks } = declared;
  if (changed !== undefined) await session.saveTools(changed);
  const kept = keepFound(declarations, conversation);
  const outdated = [...declared.outdated, ...kept.outdated];
  return { ...toRequest(work, conversation, kept.declarations), note: { breaks, outdated } };
}

/** A question beside the turn: it begins as the last one did, so that it is read from the cache. */
export function buildSideRequest(
  work: Asker,
  conversation: readonly HistoryEntry[],
  question: Message,
): ModelRequest {
  const known = declareKnownTools(work.session.tools(), work.openToolbox().declarations, work.model);
  const tools = keepFound(known, conversation).declarations;
  const { structuredOutput: _, ...request } = toRequest(work, conversation, tools).request;
  return { ...request, messages: [...request.messages, question] };
}

function toRequest(
  { agent, session }: Asker,
  conversation: readonly HistoryEntry[],
  tools: readonly ToolDeclaration[],
): Pick<BuiltRequest, 'request' | 'beginning'> {
  const { system, parameters, mayGrow } = agent;
  const beginning = nameBeginning(agent, tools);
  const messages = messagesUnder(beginning, conversation);
  const cacheKey = session.ref.session;
  return { request: { ...parameters, system, messages, tools, mayGrow, cacheKey }, beginning };
}
