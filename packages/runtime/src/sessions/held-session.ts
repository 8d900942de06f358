import { hash } from 'node:crypto';
import type { SessionRef } from '@quartermaster/agent';
import type { Append, CallPlace, SessionRecord, SessionStore, SessionTotals } from '@quartermaster/store';
import { defaultLimits } from '../limits.ts';
import type { OwnerHost } from '../owner/owner.ts';
import { formatOwner, isOwnerGone } from '../owner/owner.ts';
import { RuntimeError, SessionBusyError } from '../runtime-error.ts';
import { conversationOf, readHistory } from './history.ts';
import type { History, HistoryEntry } from './history.ts';
import { decodeItem, encodeItem } from './item.ts';
import type { ItemBody, LogItem } from './item.ts';
import { isTurnLost, keepLease, turnLost } from './lease.ts';
import { noSessionTools, readSessionTools, toStored } from './session-tools.ts';
import type { SessionTools } from './session-tools.ts';

/** What sessions are reached and held with. */
export interface SessionsOptions {
  readonly store: SessionStore;
  readonly clock: { now(): number };
  /** Unique everywhere and for ever. */
  readonly ids: () => string;
  /** From `readOwnerHost`. */
  readonly host: OwnerHost;
  /** How long a hold outlives its last renewal. Default: that of `defaultLimits`. */
  readonly leaseMs?: number;
}

/** The same for one holder. */
export interface HoldOptions extends Required<SessionsOptions> {
  /** As `formatOwner` makes it. */
  readonly owner: string;
}

/** A holder of sessions. */
export function createHolder({ leaseMs = defaultLimits.leaseMs, ...options }: SessionsOptions): HoldOptions {
  return { ...options, leaseMs, owner: formatOwner(options.host, options.ids()) };
}

/** A session in the hands of one turn: it alone writes to it, until `release` (L1). */
export interface HeldSession {
  readonly ref: SessionRef;
  readonly items: readonly LogItem[];
  /** As it stands now. */
  history(): History;
  /** What of it a model is told. */
  conversation(): readonly HistoryEntry[];
  /** Durable when it resolves. */
  append(
    body: ItemBody,
    options?: AppendOptions,
  ): Promise<{ readonly type: Append['type']; readonly id: string }>;
  /** Before a call runs. */
  startCall(place: CallPlace): Promise<void>;
  endCall(place: CallPlace, result: string): Promise<void>;
  /** Whether the call began. */
  hasStarted(place: CallPlace): boolean;
  /** The tools as earlier requests declared them. */
  tools(): SessionTools;
  /** Durable when it resolves; of a sub-session when it is released (DP2). Contract: not without a change. */
  saveTools(tools: SessionTools): Promise<void>;
  /** What stood there could not be read, and was set aside (DP4). */
  readonly hasLostTools: boolean;
  /** Aborted when another process has taken the session: nothing more is written then. */
  readonly lost: AbortSignal;
  /** Twice is fine. */
  release(): Promise<void>;
}

/** What goes with an item. */
export interface AppendOptions {
  /** Makes a second append of the same text do nothing (RS4). */
  readonly request?: { readonly id: string; readonly text: string };
  readonly spent?: SessionTotals;
  /** `null`: what the session has deferred is forgotten in the same transaction (DP3). */
  readonly toolDeferrals?: null;
}

/** For whom a session is held, and what it becomes where there is none; of a sub-session the turn has its parent. */
export interface HoldRequest {
  readonly turn: string;
  readonly create?: Pick<SessionRecord, 'title' | 'origin' | 'parent'>;
}

/**
 * Takes the session and then reads it: what a turn works on is never older than its hold (case 67). Throws
 * `SessionBusyError` while another turn has it, and `RUNTIME_SESSION_MISSING`.
 */
export async function holdSession(
  ref: SessionRef,
  request: HoldRequest,
  options: HoldOptions,
): Promise<HeldSession> {
  await takeHold(ref, request, options);
  try {
    return await readHeld(ref, request, options);
  } catch (error) {
    await options.store.endTurn(ref, request.turn);
    throw error;
  }
}

async function takeHold(ref: SessionRef, { turn, create }: HoldRequest, options: HoldOptions): Promise<void> {
  const { store, owner, host, leaseMs, clock } = options;
  const hold = { turn, owner, leaseMs };
  let begin = await store.beginTurn(ref, hold);
  if (begin.type === 'missing' && create !== undefined) {
    const isMade = await store.create({ ...ref, ...create, createdAtMs: clock.now() }, { turn });
    if (!isMade && create.parent !== undefined) throw turnLost(create.parent, turn);
    begin = await store.beginTurn(ref, hold);
  }
  if (begin.type === 'busy' && isOwnerGone(begin.owner, host)) {
    begin = await store.takeTurn(ref, hold, { turn: begin.turn });
  }
  if (begin.type === 'busy') throw new SessionBusyError(ref.session, begin.turn);
  if (begin.type === 'missing') throw sessionMissing(ref.session);
}

/** There is no session of that name. */
export function sessionMissing(session: string): RuntimeError {
  return new RuntimeError(
    'RUNTIME_SESSION_MISSING',
    `Expected a session of this user, got "${session}". List the sessions, or begin one.`,
  );
}

async function readHeld(
  ref: SessionRef,
  { turn, create }: HoldRequest,
  options: HoldOptions,
): Promise<HeldSession> {
  const isSubSession = create?.parent !== undefined;
  const { store, clock, ids } = options;
  const items: LogItem[] = (await store.items(ref)).map(decodeItem);
  const calls = new Map((await store.calls(ref)).map((call) => [placeKey(call), { result: call.result }]));
  const storedTools = await store.readToolDeferrals(ref);
  const read = storedTools === undefined ? noSessionTools : readSessionTools(storedTools);
  if (read === undefined) await store.setToolDeferralsAside(ref, turn);
  let tools = read ?? noSessionTools;
  let hasUnsavedTools = false;
  const lease = keepLease(ref, turn, options);

  const history = (): History => readHistory(items, (place) => calls.get(placeKey(place)));

  /** Every write counts only while the turn holds the session; the store refuses it otherwise. */
  async function write<Value>(work: () => Promise<Value>): Promise<Value> {
    if (lease.lost.aborted) throw turnLost(ref.session, turn);
    try {
      return await work();
    } catch (error) {
      if (!isTurnLost(error)) throw error;
      lease.lose();
      throw turnLost(ref.session, turn, error);
    }
  }

  return {
    ref,
    items,
    history,
    conversation: () => conversationOf(history(), tools.deferrals),
    tools: () => tools,
    hasLostTools: read === undefined,
    async saveTools(next) {
      if (!isSubSession) await write(() => store.saveToolDeferrals(ref, turn, toStored(next, tools)));
      hasUnsavedTools = isSubSession;
      tools = next;
    },
    async append(body, { request, ...rest } = {}) {
      const item = encodeItem(ids(), body, { turn, atMs: clock.now() });
      const { type } = await write(() =>
        store.append(ref, turn, [item], {
          ...rest,
          ...(request !== undefined && {
            request: { id: request.id, contentHash: hash('sha256', request.text) },
          }),
        }),
      );
      // Read back as a later process will read it, so that both work on the same.
      if (type === 'appended')
        items.push(decodeItem({ ...item, position: (items.at(-1)?.position ?? -1) + 1 }));
      if (rest.toolDeferrals === null) tools = noSessionTools;
      return { type, id: item.id };
    },
    async startCall(place) {
      await write(() => store.startCall(ref, turn, place));
      calls.set(placeKey(place), { result: undefined });
    },
    async endCall(place, result) {
      await write(() => store.endCall(ref, turn, place, result));
      calls.set(placeKey(place), { result });
    },
    hasStarted: (place) => calls.has(placeKey(place)),
    lost: lease.lost,
    async release() {
      if (hasUnsavedTools && !lease.lost.aborted) {
        await store.saveToolDeferrals(ref, turn, toStored(tools, noSessionTools)).catch(() => undefined); // it is never gone on with
      }
      await lease.release();
    },
  };
}

function placeKey({ item, index }: CallPlace): string {
  return `${index} ${item}`;
}
