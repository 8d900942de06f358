import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { MessagesOutline } from '@quartermaster/wire';
import type { Client } from '../clients/table.ts';
import { detach } from '../latin1.ts';
import { blocksOf, isBillingLine, textIn } from './opening.ts';

/** Whose request it is: the session that a client names, and the conversation inside it. */
export interface Identity {
  readonly session: string;
  /** `main`, or what the client calls a sub-agent's conversation. */
  readonly agent: string;
}

interface Request {
  readonly client: Client;
  readonly headers: IncomingHttpHeaders;
  readonly outline: MessagesOutline;
  /** The latin1 view that the outline was made from. */
  readonly text: string;
}

/**
 * Names the conversation. The session is the first present of the headers below, `metadata.user_id` as JSON, then plain.
 * A plain id is often shared by many conversations, so the opening becomes part of the key; without any id it is the key.
 */
export function identify({ client, headers, outline, text }: Request): Identity {
  const agent = client.agentOf(headers) ?? 'main';
  const named = sessionInHeaders(headers) ?? sessionInUserId(outline.metadataUserId);
  if (named !== undefined) return { session: named, agent };
  const opening = hashFirstMessage(outline, text);
  const { metadataUserId } = outline;
  return { session: metadataUserId === undefined ? opening : detach(`${metadataUserId} ${opening}`), agent };
}

const sessionHeaders = [
  'x-quartermaster-session',
  'x-claude-code-session-id',
  'session-id',
  'x-session-id',
] as const;

function sessionInHeaders(headers: IncomingHttpHeaders): string | undefined {
  for (const name of sessionHeaders) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function sessionInUserId(userId: string | undefined): string | undefined {
  if (userId === undefined || !userId.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(userId);
    if (typeof parsed !== 'object' || parsed === null || !('session_id' in parsed)) return undefined;
    return typeof parsed.session_id === 'string' && parsed.session_id !== '' ? parsed.session_id : undefined;
  } catch {
    return undefined;
  }
}

/** The same for every request of a conversation: marks and spelling move, the texts of its first message do not. */
function hashFirstMessage(outline: MessagesOutline, text: string): string {
  const hash = createHash('sha256');
  const firstUser = outline.messages?.items.find((message) => message.role === 'user');
  for (const content of [outline.system, firstUser?.content]) {
    const blocks = blocksOf(content, text).filter((block) => !isBillingLine(block));
    hash.update(JSON.stringify(blocks.map(textIn)));
  }
  return hash.digest('hex').slice(0, 32);
}
