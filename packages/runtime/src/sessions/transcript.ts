import type { Message } from '@quartermaster/agent/messages';
import type { SessionRecord, SessionStore } from '@quartermaster/store';
import { readHistory } from './history.ts';
import { decodeItem } from './item.ts';
import type { LogItem } from './item.ts';

/** A session for people and other programs: all that was said, without what is for one provider alone. */
export interface Transcript {
  readonly format: 'quartermaster-session';
  readonly version: 1;
  readonly session: SessionRecord;
  readonly messages: readonly TranscriptMessage[];
  readonly summaries: readonly { readonly text: string; readonly atMs: number }[];
  readonly errors: readonly { readonly code: string; readonly message: string; readonly atMs: number }[];
  /** With the call of this session that each worked for. */
  readonly subSessions: readonly { readonly callId: string; readonly transcript: Transcript }[];
  /** Items that can't be read. */
  readonly unreadable: readonly string[];
}

/** A message and who was at work. */
export interface TranscriptMessage {
  readonly message: Message;
  readonly agent: string;
  /** Epoch ms. */
  readonly atMs: number;
}

/** Reads a session and those that worked for it. */
export async function readTranscript(store: SessionStore, session: SessionRecord): Promise<Transcript> {
  const items = (await store.items(session)).map(decodeItem);
  const calls = await store.calls(session);
  const { entries } = readHistory(items, ({ item, index }) =>
    calls.find((call) => call.item === item && call.index === index),
  );
  return {
    format: 'quartermaster-session',
    version: 1,
    session,
    messages: entries.map(({ message, agent, atMs }) => ({
      message: withoutProviderData(message),
      agent,
      atMs,
    })),
    summaries: items.flatMap(({ body, atMs }) =>
      body?.type === 'summary' ? [{ text: body.text, atMs }] : [],
    ),
    errors: items.flatMap(({ body, atMs }) =>
      body?.type === 'error' ? [{ code: body.code, message: body.message, atMs }] : [],
    ),
    subSessions: await readSubSessions(store, session, items),
    unreadable: items.flatMap(({ id, body }) => (body === undefined ? [id] : [])),
  };
}

async function readSubSessions(
  store: SessionStore,
  { app, user }: SessionRecord,
  items: readonly LogItem[],
): Promise<Transcript['subSessions']> {
  const read = items.map(async ({ body }) => {
    if (body?.type !== 'sub-session') return [];
    const record = await store.read({ app, user, session: body.session });
    return record === undefined
      ? []
      : [{ callId: body.callId, transcript: await readTranscript(store, record) }];
  });
  return (await Promise.all(read)).flat();
}

function withoutProviderData(message: Message): Message {
  switch (message.role) {
    case 'assistant':
      return { ...message, content: message.content.map(({ providerData: _, ...part }) => part) };
    case 'user':
      return { ...message, content: message.content.map(({ providerData: _, ...part }) => part) };
    case 'tool':
      return message;
  }
}
