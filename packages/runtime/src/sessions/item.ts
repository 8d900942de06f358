import type { PrefixBreak } from '@quartermaster/agent/deferral';
import type { AssistantMessage, TokenUsage, UserMessage } from '@quartermaster/agent/messages';
import type { ToolDeclaration } from '@quartermaster/providers';
import type { SessionItem, StoredItem } from '@quartermaster/store';

/** A message as it is stored: its id is its item's. Results are stored with their calls, so no tool message is. */
export type StoredMessage = Omit<UserMessage, 'id'> | Omit<AssistantMessage, 'id'>;

/** What the request for an answer did to the prompt's beginning (D5, D10). */
export interface CacheNote {
  readonly breaks: readonly PrefixBreak[];
  /** Names of tools that are told of by an older text than their own. */
  readonly outdated: readonly string[];
}

/** One entry of a session (RS1). */
export type ItemBody =
  | {
      readonly type: 'message';
      readonly message: StoredMessage;
      readonly agent: string;
      /** Of an answer: what it used. */
      readonly usage?: TokenUsage;
      /** Of an answer: what its prompt began with, as `nameBeginning` names it. */
      readonly beginning?: string;
      /** Of an answer: tools of a catalogue that its model has found in it, as they were declared then. */
      readonly found?: readonly ToolDeclaration[];
      /** Of an answer; left out where there is nothing to tell. */
      readonly cache?: CacheNote;
      /** Of an input: the request that it came by (RS4). */
      readonly request?: string;
    }
  | {
      readonly type: 'sub-session';
      /** In a copy of the session it is another. */
      readonly session: string;
      readonly agent: string;
      /** The call that handed the work over. */
      readonly callId: string;
    }
  | {
      readonly type: 'summary';
      readonly text: string;
      /** The first message that stays beside the summary; absent where none does. */
      readonly firstKept?: string;
    }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

type StoredBody = ItemBody & { readonly turn?: string };

/** An item that was read. */
export interface LogItem {
  readonly id: string;
  /** The turn that wrote it. */
  readonly turn: string | undefined;
  readonly position: number;
  /** Epoch ms. */
  readonly atMs: number;
  /** `undefined`: it can't be read. */
  readonly body: ItemBody | undefined;
}

/** `turn` wrote it, at `atMs` (epoch). */
export function encodeItem(
  id: string,
  { type, ...body }: ItemBody,
  { turn, atMs }: { readonly turn: string; readonly atMs: number },
): SessionItem {
  if (!('session' in body)) return { id, type, body: JSON.stringify({ turn, ...body }), atMs };
  const { session: subSession, ...rest } = body;
  return { id, type, body: JSON.stringify({ turn, ...rest }), atMs, subSession };
}

export function decodeItem(item: StoredItem): LogItem {
  const { id, position, atMs } = item;
  const body = parseBody(item);
  return { id, position, atMs, body, turn: body?.turn };
}

function parseBody({ type, body: text, subSession }: StoredItem): StoredBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const session = subSession === undefined ? {} : { session: subSession };
    const body = typeof value === 'object' && value !== null ? { ...value, ...session, type } : undefined;
    return isItemBody(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** This package alone writes items; the check is against damage and later versions, not against strangers. */
function isItemBody(body: object | undefined): body is StoredBody {
  if (body === undefined || !('type' in body)) return false;
  if (body.type !== 'message') return ['sub-session', 'summary', 'error'].includes(String(body.type));
  const message = 'message' in body ? body.message : undefined;
  if (typeof message !== 'object' || message === null) return false;
  const role = 'role' in message ? message.role : undefined;
  return (role === 'user' || role === 'assistant') && 'content' in message && Array.isArray(message.content);
}
