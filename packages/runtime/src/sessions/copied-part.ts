import { copyToolDeferrals, noToolDeferrals, parseToolDeferrals } from '@quartermaster/agent/deferral';
import type { SessionCopy, SessionKey, SessionStore } from '@quartermaster/store';
import { readHistory } from './history.ts';
import { decodeItem } from './item.ts';

/**
 * A copy of what stands before a position. The places of tools go along where all of them were copied, each call with
 * its result; else the copy declares its tools anew.
 */
export async function copiedPart(
  store: SessionStore,
  key: SessionKey,
  beforePosition: number,
): Promise<Pick<SessionCopy, 'beforePosition' | 'toolDeferrals'>> {
  const stored = await store.readToolDeferrals(key);
  const deferrals = stored && parseToolDeferrals(stored.state);
  if (stored === undefined || deferrals === undefined) return { beforePosition };
  const items = (await store.items(key, { limit: beforePosition })).map(decodeItem);
  const calls = await store.calls(key);
  const { entries } = readHistory(items, ({ item, index }) =>
    calls.find((call) => call.item === item && call.index === index),
  );
  const messages = entries.map(({ message }) => message);
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const copied = copyToolDeferrals(deferrals, {
    callIds: new Set(results.filter(({ outcome }) => outcome === 'completed').map(({ callId }) => callId)),
    messageIds: new Set(messages.map(({ id }) => id)),
  });
  return copied === noToolDeferrals ? { beforePosition } : { beforePosition, toolDeferrals: stored.state };
}
