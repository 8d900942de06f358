import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Conversation, hasBoundThinking } from '../conversation/read.ts';
import { forward, type Forwarding } from '../http/forward.ts';
import { withBeta, withPlainAnswer, withPlainBody } from '../http/headers.ts';
import { isThought } from '../relay/block-kinds.ts';
import type { AnswerBlock } from '../relay/content.ts';
import { isRelayed } from '../relay/relay.ts';
import type { NextAnswer, Resend } from '../relay/turn.ts';
import type { EditDecision } from '../threads/decision.ts';
import { thinkingBindingBeta, withDroppedThinking } from '../rewrite/thinking.ts';
import {
  isRefusal,
  isSuccess,
  passStart,
  readAndClose,
  readStart,
  textOfStart,
  unread,
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

/** Takes an answer to the client; `resend` has the provider go on with it. */
export type Relay = (answer: IncomingMessage, sent: Buffer, resend: Resend) => Promise<void>;

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
    return relay(held, body, (next, shown) => goOn(exchange, next, { decision, shown }));
  }
  if (!(await isStillAwaited(exchange, held))) return;
  await sendOriginal(exchange, {
    onSuccess: () => refusals.prove(conversation, target.path, decision),
    onLostPrefix: () => refusals.losePrefix(conversation, 'refused'),
  });
}

/**
 * Has the provider go on with a turn (Q4). A request to do so is a rewritten one: where it is refused, the original is sent
 * (RF1), in whose answer the turn begins anew. What the client has seen of its thoughts fits no prefix then (RF4).
 */
async function goOn(
  exchange: Exchange,
  body: Buffer,
  { decision, shown }: { readonly decision: EditDecision; readonly shown: readonly AnswerBlock[] },
): Promise<NextAnswer | undefined> {
  const { refusals, conversation, target } = exchange;
  const held = await send(exchange, readableAnswer(exchange, body), () => true);
  if (held === undefined) return undefined;
  if (isSuccess(held)) return { type: 'answer', answer: held, isAnew: false };
  if (!isRefusal(held)) return { type: 'fault', start: await readStart(held) };
  if (!(await isStillAwaited(exchange, held))) return undefined;
  return askOriginal(exchange, {
    onSuccess() {
      refusals.prove(conversation, target.path, decision);
      if (shown.some(isThought)) refusals.losePrefix(conversation, 'refused');
    },
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
  const next = await askOriginal(exchange, events);
  if (next === undefined) return;
  const start = next.type === 'fault' ? next.start : unread(next.answer);
  exchange.target.onAnswer?.(start.incoming);
  await passStart(start, exchange.response);
}

/** Sends the original, and where its thinking fits no more, without that (RF4). The client has seen nothing of the answer. */
async function askOriginal(
  exchange: Exchange,
  events: Events,
): Promise<Exclude<NextAnswer, { type: 'error' }> | undefined> {
  const held = await send(exchange, originalOf(exchange), () => true);
  if (held === undefined) return undefined;
  if (isSuccess(held)) {
    events.onSuccess();
    return { type: 'answer', answer: held, isAnew: true };
  }
  const start = await readStart(held);
  const dropped = isRefusal(held) && start.isWhole ? droppedThinking(exchange) : undefined;
  const text = dropped === undefined ? '' : await textOfStart(start);
  if (dropped === undefined || !isAboutThinking(text)) return { type: 'fault', start };
  tell(exchange, { status: held.statusCode ?? 0, label: labelOf(text) });
  const again = await send(exchange, dropped, () => true);
  if (again === undefined) return undefined;
  if (isSuccess(again)) {
    events.onLostPrefix();
    return { type: 'answer', answer: again, isAnew: true };
  }
  if (!isRefusal(again)) return { type: 'fault', start: await readStart(again) };
  // The last word is the original's: of its retries this one is none.
  again.destroy();
  return { type: 'fault', start };
}

/** Sends it so, and says whether that was refused; then the client has seen nothing of it, and is still there. */
async function isRefusedAs(exchange: Exchange, as: SentAs): Promise<boolean> {
  const refused = await send(exchange, as, isRefusal);
  return refused !== undefined && isStillAwaited(exchange, refused);
}

/** Reads a refusal that the client sees nothing of; `false` where the client is gone by then. */
async function isStillAwaited(exchange: Exchange, refused: IncomingMessage): Promise<boolean> {
  const text = await textOfStart(await readAndClose(refused));
  if (exchange.response.destroyed) return false;
  tell(exchange, { status: refused.statusCode ?? 0, label: labelOf(text) });
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
