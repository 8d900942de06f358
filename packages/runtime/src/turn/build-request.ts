import type { Message } from '@quartermaster/agent/messages';
import type { ModelRequest, ToolDeclaration } from '@quartermaster/providers';
import type { CacheNote } from '../sessions/item.ts';
import { declareKnownTools, declareTools, positionIn } from './declare-tools.ts';
import type { Work } from './work.ts';

/** A question to a model, and what has to be kept of how it was put. */
export interface BuiltRequest {
  readonly request: ModelRequest;
  readonly note: CacheNote;
}

type Asker = Pick<Work, 'agent' | 'session' | 'model' | 'openToolbox'>;

/** The next question of a turn. What it is the first to say of tools is durable before it is sent (DP2). */
export async function buildRequest(work: Asker, messages: readonly Message[]): Promise<BuiltRequest> {
  const { session, model } = work;
  const present = work.openToolbox().declarations;
  const declared = declareTools(session.tools(), present, positionIn(messages, model));
  const { declarations, changed, breaks, outdated } = declared;
  if (changed !== undefined) await session.saveTools(changed);
  return { request: toRequest(work, messages, declarations), note: { breaks, outdated } };
}

/** A question beside the turn: it begins as the last one did, so that it is read from the cache. */
export function buildSideRequest(work: Asker, messages: readonly Message[]): ModelRequest {
  const { structuredOutput: _, ...request } = toRequest(
    work,
    messages,
    declareKnownTools(work.session.tools(), work.openToolbox().declarations, work.model),
  );
  return request;
}

function toRequest(
  { agent: { system, parameters, mayGrow }, session }: Asker,
  messages: readonly Message[],
  tools: readonly ToolDeclaration[],
): ModelRequest {
  return { ...parameters, system, messages, tools, mayGrow, cacheKey: session.ref.session };
}
