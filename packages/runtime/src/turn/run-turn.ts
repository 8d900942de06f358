import { addAbortListener } from 'node:events';
import type { TokenUsage } from '@quartermaster/agent/messages';
import { addUsage, noUsage } from '@quartermaster/agent/turns';
import type { TurnEvent, TurnRequest, TurnResult } from '@quartermaster/agent/turns';
import { RuntimeError } from '../runtime-error.ts';
import { lastTextOf } from '../sessions/history.ts';
import { holdSession } from '../sessions/held-session.ts';
import type { HeldSession } from '../sessions/held-session.ts';
import { titleOf } from '../sessions/title.ts';
import { beginWork, reportFailure, userMessage } from './begin-work.ts';
import type { Turn } from './begin-work.ts';
import { createChannel } from './channel.ts';
import type { Channel } from './channel.ts';
import { describeError } from './describe-error.ts';
import type { Engine } from './engine.ts';
import { runLoop } from './loop.ts';
import type { Work } from './work.ts';

/** The turns of one running backend. */
export interface RunningTurns {
  /** Aborted when the backend is closed: its turns end, and wait for no reader. */
  readonly closing: AbortSignal;
  /** Each until its end. None rejects. */
  readonly turns: Set<Promise<void>>;
}

/**
 * The events of one turn, the first of them after its input was stored (R1). A reader that stops early cancels the turn,
 * and gets control back when it has ended. Throws before the first event where the turn can't begin: `SessionBusyError`,
 * `RUNTIME_REQUEST_CONFLICT`, `RUNTIME_CLOSED`.
 */
export async function* runTurn(
  engine: Engine,
  request: TurnRequest,
  { closing, turns }: RunningTurns,
): AsyncGenerator<TurnEvent> {
  closing.throwIfAborted();
  const stop = new AbortController();
  const channel = createChannel<TurnEvent>();
  using _listening = addAbortListener(closing, () => channel.hurry());
  const signal = AbortSignal.any([request.signal, stop.signal, closing]);
  const playing = playTurn(engine, countTurn(request, channel, signal), request).finally(() =>
    channel.close(),
  );
  const ended = playing.catch(() => undefined).finally(() => turns.delete(ended)); // thrown below
  turns.add(ended);
  try {
    yield* channel.read();
  } finally {
    stop.abort();
    channel.abandon();
    await playing;
  }
}

function countTurn(request: TurnRequest, channel: Channel<TurnEvent>, signal: AbortSignal): CountedTurn {
  let usage = noUsage;
  return {
    id: request.turn,
    signal,
    ...(request.ask && { ask: request.ask }),
    takeSteering: () => request.takeSteering(),
    send: (event) => channel.send(event),
    spend: (spent) => (usage = addUsage(usage, spent)),
    usage: () => usage,
  };
}

type CountedTurn = Turn & { readonly usage: () => TokenUsage };

async function playTurn(engine: Engine, turn: CountedTurn, request: TurnRequest): Promise<void> {
  const { text } = request;
  const create = { title: titleOf(text), origin: engine.origin, parent: undefined };
  const session = await holdSession(request.session, { turn: turn.id, create }, engine.hold);
  const work = beginWork(engine, turn, requireRoot(engine), session);
  let result: TurnResult;
  try {
    const input = await storeInput(work, request);
    await work.show({ type: 'turn-start', messageId: input.id });
    await warnOfDamage(work);
    result = input.type === 'repeated' ? repeatedResult(work, input.id) : await play(work, turn);
  } finally {
    await session.release();
  }
  // Only now, so that whoever sees it finds the session free.
  await work.show({ type: 'turn-end', result });
}

function requireRoot({ agents, root }: Engine) {
  const agent = agents.get(root);
  if (agent === undefined) throw new TypeError(`expected a root agent; "${root}" is none.`);
  return agent;
}

/** The input, stored now or, where its request came before, then (RS4). */
async function storeInput(
  { session, agent }: Work,
  { text, requestId, session: { session: name } }: TurnRequest,
): Promise<{ readonly type: 'appended' | 'repeated'; readonly id: string }> {
  const message = userMessage(text);
  if (requestId === undefined) {
    const { id } = await session.append({ type: 'message', message, agent: agent.name });
    return { type: 'appended', id };
  }
  const { type, id } = await session.append(
    { type: 'message', message, agent: agent.name, request: requestId },
    { request: { id: requestId, text } },
  );
  if (type === 'appended') return { type, id };
  const before = session.items.find(({ body }) => body?.type === 'message' && body.request === requestId);
  if (type === 'repeated' && before !== undefined) return { type, id: before.id };
  throw new RuntimeError(
    'RUNTIME_REQUEST_CONFLICT',
    `Expected request ${requestId} to come to session ${name} with one text; it came with another before. Use a new request id.`,
  );
}

/** A damaged item hides nothing in silence. */
async function warnOfDamage({ session, show }: Work): Promise<void> {
  if (session.hasLostTools) {
    const message = `What session ${session.ref.session} had deferred can't be read; it was set aside, and its tools are declared anew.`;
    await show({ type: 'error', code: 'RUNTIME_ITEM_UNREADABLE', message, recoverable: true });
  }
  for (const { id, body } of session.items) {
    if (body !== undefined) continue;
    const message = `Item ${id} of session ${session.ref.session} can't be read; the session goes on without it.`;
    await show({ type: 'error', code: 'RUNTIME_ITEM_UNREADABLE', message, recoverable: true });
  }
}

async function play(work: Work, turn: CountedTurn): Promise<TurnResult> {
  try {
    const text = await runLoop(work);
    return { status: 'completed', text, usage: turn.usage() };
  } catch (error) {
    const { lost } = work.session;
    const reason: unknown = lost.aborted ? lost.reason : error;
    await reportFailure(work, reason, { isRecoverable: false });
    const end = { text: lastTextOf(messagesOf(work.session)), usage: turn.usage() };
    if (work.signal.aborted && !lost.aborted) return { status: 'cancelled', ...end };
    return { status: 'failed', ...end, error: describeError(reason) };
  }
}

/** What came of the turn that this request began before: it is told again, and nothing is run again (R1). */
function repeatedResult({ session }: Work, input: string): TurnResult {
  const turn = session.items.find(({ id }) => id === input)?.turn;
  const ofTurn = new Set(session.items.flatMap((item) => (item.turn === turn ? [item.position] : [])));
  const messages = session
    .history()
    .entries.filter(({ position }) => ofTurn.has(position))
    .map(({ message }) => message);
  const last = messages.at(-1);
  const text = lastTextOf(messages);
  if (last?.role === 'assistant' && last.stopReason !== 'other') {
    return { status: 'completed', text, usage: noUsage };
  }
  const message =
    'This request came before, and its turn did not end by itself. It is not run again: send a new one.';
  return { status: 'failed', text, error: { code: 'RUNTIME_TURN_CUT', message }, usage: noUsage };
}

function messagesOf(session: HeldSession) {
  return session.history().entries.map(({ message }) => message);
}
