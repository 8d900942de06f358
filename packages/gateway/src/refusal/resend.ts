import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Conversation, hasBoundThinking } from '../conversation/read.ts';
import { forward, type Forwarding } from '../http/forward.ts';
import { withBeta, withPlainAnswer, withPlainBody } from '../http/headers.ts';
import { isRelayed } from '../relay/relay.ts';
import type { EditDecision } from '../threads/decision.ts';
import { thinkingBindingBeta, withDroppedThinking } from '../rewrite/thinking.ts';
import {
  type AnswerStart,
  isRefusal,
  isSuccess,
  passStart,
  readAndClose,
  readStart,
  textOfStart,
} from './answer-start.ts';
import type { Refusals, RefusedRound } from './refusals.ts';
import { isAboutThinking, labelOf } from './wording.ts';

/** One request of a client's, and what it may go upstream as. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Omit<Forwarding, 'body' | 'isHeld'>;
  /** As it came, in the client's own encoding. */
  readonly original: Buffer;
  readonly conversation: Conversation;
  readonly refusals: Refusals;
  /** For the record of this request (RF6). Must not throw. */
  readonly onRefused?: (round: RefusedRound) => void;
  /** Takes the answer to a request with deferred tools to the client, where it can hold searches (Q2, Q4). */
  readonly relay?: Relay;
}

/** `resend` sends the request with another body; its answer is the caller's, or the client is gone or was cut. */
export type Relay = (
  answer: IncomingMessage,
  sent: Buffer,
  resend: (body: Buffer) => Promise<IncomingMessage | undefined>,
) => Promise<void>;

/**
 * Sends a rewritten request. A 400 or 422 to it stays here: the original is sent once, and its answer is the client's
 * (RF1–RF4). Anything else streams through at once (FA2). Rejects like `forward`.
 */
export async function sendRewritten(exchange: Exchange, body: Buffer, decision: EditDecision): Promise<void> {
  const { refusals, conversation, target, relay } = exchange;
  const as = relay === undefined ? plainBody(exchange, body) : readableAnswer(exchange, body);
  const held = await send(
    exchange,
    as,
    (incoming) => isRefusal(incoming) || (relay !== undefined && isRelayed(incoming)),
  );
  if (held === undefined) return;
  if (relay !== undefined && !isRefusal(held)) {
    return relay(held, body, (next) => send(exchange, readableAnswer(exchange, next), () => true));
  }
  if (!(await isStillAwaited(exchange, held))) return;
  await sendOriginal(exchange, {
    onSuccess: () => refusals.prove(conversation, target.path, decision),
    onLostPrefix: () => refusals.losePrefix(conversation, 'refused'),
  });
}

/** Sends the original of a thread whose record can't be read; refused for its thinking blocks, it goes RF4's way (O3). */
export function sendUnreadable(exchange: Exchange): Promise<void> {
  const { refusals, conversation } = exchange;
  return sendOriginal(exchange, {
    onSuccess: () => undefined,
    onLostPrefix: () => refusals.losePrefix(conversation, 'record-unreadable'),
  });
}

/** Sends a request of a thread that lost its prefix: without the older blocks, and as it came if that is refused. */
export async function sendWithDroppedThinking(exchange: Exchange): Promise<void> {
  const dropped = droppedThinking(exchange);
  if (dropped !== undefined && !(await isRefusedAs(exchange, dropped))) return;
  await send(exchange, originalOf(exchange));
}

/**
 * Sends a request that got declarations back (Q3); refused, it goes as it came, and that answer is the client's (RF1).
 * Rejects like `forward`.
 */
export async function sendResolved(
  { request, response, target, original }: Pick<Exchange, 'request' | 'response' | 'target' | 'original'>,
  body: Buffer,
): Promise<void> {
  const rawHeaders = withPlainBody(target.rawHeaders, body.length);
  const refused = await forward(request, response, { ...target, rawHeaders, body, isHeld: isRefusal });
  if (refused === undefined) return;
  refused.destroy();
  if (!response.destroyed) await forward(request, response, { ...target, body: original });
}

interface Events {
  /** The head of a successful answer to the original is there. */
  readonly onSuccess: () => void;
  /** The same for the original without its older thinking blocks. */
  readonly onLostPrefix: () => void;
}

async function sendOriginal(exchange: Exchange, events: Events): Promise<void> {
  const dropped = droppedThinking(exchange);
  const held = await send(exchange, originalOf(exchange), (incoming) => {
    if (isSuccess(incoming)) events.onSuccess();
    return dropped !== undefined && isRefusal(incoming);
  });
  if (held === undefined) return;
  const answer = await readStart(held);
  const text = answer.isWhole ? await textOfStart(answer) : '';
  if (dropped === undefined || !isAboutThinking(text)) return passRefusal(exchange, answer);
  tell(exchange, { status: held.statusCode ?? 0, label: labelOf(text) });
  const isRefusedAgain = await isRefusedAs(exchange, dropped, events.onLostPrefix);
  if (isRefusedAgain) await passRefusal(exchange, answer);
}

/** A refusal that was held back is the client's answer after all. */
function passRefusal({ response, target }: Exchange, answer: AnswerStart): Promise<void> {
  target.onAnswer?.(answer.incoming);
  return passStart(answer, response);
}

/** Sends it so, and says whether that was refused; then the client has seen nothing of it, and is still there. */
async function isRefusedAs(exchange: Exchange, as: SentAs, onSuccess?: () => void): Promise<boolean> {
  const refused = await send(exchange, as, (incoming) => {
    if (isSuccess(incoming)) onSuccess?.();
    return isRefusal(incoming);
  });
  // The last word is the original's: of its retries this one is none.
  return refused !== undefined && isStillAwaited(exchange, refused, { isRetried: onSuccess === undefined });
}

/** Reads a refusal that the client sees nothing of; `false` where the client is gone by then. */
async function isStillAwaited(
  exchange: Exchange,
  refused: IncomingMessage,
  { isRetried } = { isRetried: true },
): Promise<boolean> {
  const text = await textOfStart(await readAndClose(refused));
  if (exchange.response.destroyed) return false;
  if (isRetried) tell(exchange, { status: refused.statusCode ?? 0, label: labelOf(text) });
  return true;
}

function tell({ refusals, conversation, onRefused }: Exchange, round: RefusedRound): void {
  refusals.countRetry(conversation, round);
  onRefused?.(round);
}

type SentAs = Pick<Forwarding, 'rawHeaders' | 'body'>;

function send(
  { request, response, target }: Exchange,
  as: SentAs,
  isHeld?: Forwarding['isHeld'],
): Promise<IncomingMessage | undefined> {
  return forward(request, response, { ...target, ...as, ...(isHeld && { isHeld }) });
}

function originalOf({ target, original }: Exchange): SentAs {
  return { rawHeaders: target.rawHeaders, body: original };
}

function plainBody({ target }: Exchange, body: Buffer): SentAs {
  return { rawHeaders: withPlainBody(target.rawHeaders, body.length), body };
}

/** What the gateway reads need not be unpacked first; a provider that packs it all the same is read too. */
function readableAnswer(exchange: Exchange, body: Buffer): SentAs {
  const as = plainBody(exchange, body);
  return { ...as, rawHeaders: withPlainAnswer(as.rawHeaders) };
}

/** `undefined` where nothing in the transcript is bound to a prefix, or its model is not known to have the control. */
function droppedThinking(exchange: Exchange): SentAs | undefined {
  const { conversation } = exchange;
  if (conversation.model === undefined || !hasBoundThinking(conversation)) return undefined;
  const text = withDroppedThinking(conversation.text, conversation.outline);
  if (text === undefined) return undefined;
  const { rawHeaders, body } = plainBody(exchange, Buffer.from(text, 'latin1'));
  return { rawHeaders: withBeta(rawHeaders, thinkingBindingBeta), body };
}
