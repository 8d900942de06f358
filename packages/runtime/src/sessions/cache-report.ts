import type { TokenUsage } from '@quartermaster/agent/messages';
import type { PrefixBreak } from '@quartermaster/agent/deferral';
import type { SessionKey, SessionStore } from '@quartermaster/store';
import { decodeItem } from './item.ts';
import type { LogItem } from './item.ts';

/** How a session's prompts were cached. */
export interface CacheReport {
  /** One for each answer, in their order. */
  readonly answers: readonly CachedAnswer[];
}

/** One answer, and what its prompt had in common with the ones before it. */
export interface CachedAnswer {
  readonly messageId: string;
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

/** What moves the beginning of a prompt: a tool that no place was left for (D3, D10), a summary, or another model. */
export type CacheBreak =
  | { readonly cause: PrefixBreak['cause']; readonly tool: string }
  | { readonly cause: 'compaction' }
  | { readonly cause: 'model' };

/** Reads it off a session's log. */
export async function readCacheReport(store: SessionStore, key: SessionKey): Promise<CacheReport> {
  const items = (await store.items(key)).map(decodeItem);
  const answers: CachedAnswer[] = [];
  let isCompacted = false;
  for (const item of items) {
    if (item.body?.type === 'summary') isCompacted = true;
    const answer = readAnswer(item);
    if (answer === undefined) continue;
    const before = answers.at(-1);
    const breaks: CacheBreak[] = [...answer.breaks];
    if (before !== undefined && isCompacted) breaks.unshift({ cause: 'compaction' });
    if (before !== undefined && !isSameModel(before, answer)) breaks.unshift({ cause: 'model' });
    isCompacted = false;
    answers.push({ ...answer, breaks });
  }
  return { answers };
}

function readAnswer({ id, atMs, body }: LogItem): CachedAnswer | undefined {
  if (body?.type !== 'message' || body.message.role !== 'assistant' || body.usage === undefined)
    return undefined;
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = body.usage;
  const { breaks = [], outdated = [] } = body.cache ?? {};
  return {
    messageId: id,
    atMs,
    agent: body.agent,
    model: body.message.model,
    tokens: { inputTokens, cacheReadTokens, cacheWriteTokens },
    breaks: breaks.map(({ name, cause }) => ({ cause, tool: name })),
    outdated,
  };
}

function isSameModel({ model: left }: CachedAnswer, { model: right }: CachedAnswer): boolean {
  return left.provider === right.provider && left.id === right.id;
}
