import type { TokenUsage } from '@quartermaster/agent/messages';
import type { PrefixBreak } from '@quartermaster/agent/deferral';
import type { SessionKey, SessionStore } from '@quartermaster/store';
import { decodeItem } from './item.ts';
import type { ItemBody, LogItem } from './item.ts';

/** How the prompts of a session and of those that worked for it were cached. */
export interface CacheReport {
  /** One for each answer, in their order; those of a sub-session together, behind the answer that gave it its work. */
  readonly answers: readonly CachedAnswer[];
}

/** One answer, and what its prompt had in common with the one before it in its session. */
export interface CachedAnswer {
  readonly messageId: string;
  readonly session: string;
  /** How many sessions it works for: 0 in the one that was asked for. */
  readonly depth: number;
  /** Epoch ms. */
  readonly atMs: number;
  readonly agent: string;
  readonly model: { readonly provider: string; readonly id: string };
  /** In the vendor's own tokens; `undefined` is not told. */
  readonly tokens: Pick<TokenUsage, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>;
  /** Why the beginning of the prompt was another one than that of the answer before it; empty where it was the same. */
  readonly breaks: readonly CacheBreak[];
  /** Tools that the session tells of by an older text than their own, until it is compacted (D5). */
  readonly outdated: readonly string[];
}

/**
 * What moves the beginning of a prompt: a tool that no place was left for (D3, D10), a summary, another model, or an agent
 * that is configured otherwise.
 */
export type CacheBreak =
  | { readonly cause: PrefixBreak['cause']; readonly tool: string }
  | { readonly cause: 'compaction' | 'model' | 'agent' };

/** Reads it off the logs of the session and of its sub-sessions. */
export async function readCacheReport(store: SessionStore, key: SessionKey): Promise<CacheReport> {
  return { answers: await readAnswers(store, key, 0) };
}

async function readAnswers(
  store: SessionStore,
  { app, user, session }: SessionKey,
  depth: number,
): Promise<readonly CachedAnswer[]> {
  const answers: CachedAnswer[] = [];
  let before: Answer | undefined;
  let isCompacted = false;
  for (const item of (await store.items({ app, user, session })).map(decodeItem)) {
    const { body } = item;
    if (body?.type === 'sub-session') {
      answers.push(...(await readAnswers(store, { app, user, session: body.session }, depth + 1)));
    }
    if (body?.type === 'summary') isCompacted = true;
    if (!isAnswer(body)) continue;
    const breaks = before === undefined ? [] : breaksBetween(before, body, { isCompacted });
    answers.push(toCachedAnswer(item, body, { session, depth, breaks }));
    before = body;
    isCompacted = false;
  }
  return answers;
}

type Answer = Extract<ItemBody, { readonly type: 'message' }> & {
  readonly message: { readonly role: 'assistant' };
  readonly usage: TokenUsage;
};

function isAnswer(body: ItemBody | undefined): body is Answer {
  return body?.type === 'message' && body.message.role === 'assistant' && body.usage !== undefined;
}

function breaksBetween(
  before: Answer,
  after: Answer,
  { isCompacted }: { readonly isCompacted: boolean },
): readonly CacheBreak[] {
  const [left, right] = [before.message.model, after.message.model];
  const isSameModel = left.provider === right.provider && left.id === right.id;
  return [
    ...(isSameModel ? [] : [{ cause: 'model' } as const]),
    ...(isCompacted ? [{ cause: 'compaction' } as const] : []),
    ...(before.beginning === after.beginning ? [] : [{ cause: 'agent' } as const]),
  ];
}

function toCachedAnswer(
  { id, atMs }: LogItem,
  { agent, message, usage, cache }: Answer,
  { breaks, ...place }: Pick<CachedAnswer, 'session' | 'depth' | 'breaks'>,
): CachedAnswer {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    messageId: id,
    ...place,
    atMs,
    agent,
    model: message.model,
    tokens: { inputTokens, cacheReadTokens, cacheWriteTokens },
    breaks: [...breaks, ...(cache?.breaks ?? []).map(({ name, cause }) => ({ cause, tool: name }))],
    outdated: cache?.outdated ?? [],
  };
}
