import type { Store } from '@quartermaster/store';
import { keyOf } from './harness.ts';

/** What a process that was killed may have left: items written without an engine. */
export function userBody(text: string): object {
  return { message: { role: 'user', content: [{ type: 'text', text }] }, agent: 'main' };
}

export function answerBody(text: string, calls: readonly string[] = []): object {
  const content = [
    { type: 'text', text },
    ...calls.map((callId) => ({ type: 'tool-call', callId, name: callId, input: {} })),
  ];
  const model = { provider: 'px-old', id: 'a-model-that-is-gone' };
  const stopReason = calls.length === 0 ? 'end' : 'tool-calls';
  return { message: { role: 'assistant', content, model, stopReason }, agent: 'main' };
}

/** A session in the middle of a turn. */
export interface OpenLog {
  startCall(item: number, index: number): Promise<void>;
  endCall(item: number, index: number, options?: { readonly isDamaged: boolean }): Promise<void>;
  release(): Promise<void>;
}

/** Appends message items to a session that is made for them; `isHeld` keeps its turn going. */
export async function appendItems(
  store: Store,
  bodies: readonly (object | string)[],
  { session = 'ses', isHeld = false, title = 'a title' } = {},
): Promise<OpenLog> {
  const key = keyOf(session);
  const turn = 'log';
  await store.sessions.create({ ...key, title, origin: 'test', parent: undefined, createdAtMs: 1 });
  await store.sessions.beginTurn(key, { turn, owner: 'a:b:1:c:d', leaseMs: 60_000 });
  const idOf = (index: number): string => `item-${index}`;
  if (bodies.length > 0) {
    await store.sessions.append(
      key,
      turn,
      bodies.map((body, index) => ({
        id: idOf(index),
        type: 'message',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        atMs: index + 1,
      })),
    );
  }
  const log: OpenLog = {
    startCall: (item, index) => store.sessions.startCall(key, turn, { item: idOf(item), index }),
    endCall: (item, index, { isDamaged } = { isDamaged: false }) => {
      const result = JSON.stringify({ outcome: 'completed', text: 'done' });
      return store.sessions.endCall(
        key,
        turn,
        { item: idOf(item), index },
        isDamaged ? result.slice(1) : result,
      );
    },
    release: () => store.sessions.endTurn(key, turn),
  };
  if (!isHeld) await log.release();
  return log;
}
