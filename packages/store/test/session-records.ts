import type { SessionItem, SessionKey, SessionTotals, Store, TurnHold } from '@quartermaster/store';

export const key: SessionKey = { app: 'app', user: 'alice', session: 'ses' };
export const nothing: SessionTotals = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  unpricedAnswers: 0,
};

/** A key of another session for each part of a key: nothing of `key` may ever show there (RS5). */
export const otherKeys: readonly SessionKey[] = [
  { ...key, app: 'app2' },
  { ...key, user: 'bob' },
  { ...key, session: 'ses2' },
];

/** A hold that lasts for longer than a test. */
export function holdOf(turn: string, changes: Partial<TurnHold> = {}): TurnHold {
  return { turn, owner: `owner of ${turn}`, leaseMs: 60_000, ...changes };
}

export function itemOf(id: string, changes: Partial<SessionItem> = {}): SessionItem {
  return { id, type: 'message', body: `{"text":"${id}"}`, atMs: 1_000, ...changes };
}

export function spentOf(inputTokens: number, costUsd = 0): SessionTotals {
  return { ...nothing, inputTokens, costUsd };
}

/** Makes a session, and begins `turn` where one is named. */
export async function makeSession(
  store: Store,
  of: SessionKey = key,
  { turn, parent }: { readonly turn?: string; readonly parent?: string } = {},
): Promise<void> {
  const made = await store.sessions.create(
    { ...of, title: '', origin: 'run', parent, createdAtMs: 500 },
    { ...(turn !== undefined && { turn }) },
  );
  if (!made) throw new Error(`Expected to make session ${of.session}; there is one.`);
  if (turn !== undefined) await store.sessions.beginTurn(of, holdOf(turn));
}

/** Makes the session of `key`, one that works for it, and one that works for that; `turn` has all three. */
export async function makeFamily(
  store: Store,
): Promise<{ readonly sub: SessionKey; readonly below: SessionKey }> {
  const [sub, below] = [
    { ...key, session: 'sub' },
    { ...key, session: 'below' },
  ];
  await makeSession(store, key, { turn: 'turn' });
  await makeSession(store, sub, { turn: 'turn', parent: key.session });
  await makeSession(store, below, { turn: 'turn', parent: sub.session });
  return { sub, below };
}

/** The ids of a session's items, each at its position. */
export async function idsOf(store: Store, of: SessionKey = key): Promise<readonly string[]> {
  return (await store.sessions.items(of)).map(({ id }) => id);
}
