import type { AssistantMessage, ToolCallPart } from '@quartermaster/agent/messages';
import { ProviderError } from '@quartermaster/providers';
import type { ModelEvent } from '@quartermaster/providers';
import { RuntimeError } from '../runtime-error.ts';
import { callsOf, conversationOf, textOf } from '../sessions/history.ts';
import { buildRequest } from './build-request.ts';
import { runCalls } from './calls.ts';
import { compact, compactWhenFull } from './compaction.ts';
import { createLoopWatch } from './loop-watch.ts';
import { renameCalls } from './rename-calls.ts';
import { toTotals } from './usage.ts';
import type { Work } from './work.ts';

/**
 * The loop (RL1): ask the model, show what it says, store its answer, run its calls, ask again, until an answer has no
 * calls. Answers its text. Whatever it throws, the session it leaves is valid: each call has a result that says what
 * became of it (RL6, L8).
 */
export async function runLoop(work: Work): Promise<string> {
  const watch = createLoopWatch((name) => isPolling(work, name));
  for (let asked = 0; asked < work.agent.maxIterations; asked += 1) {
    await takeSteering(work);
    await compactWhenFull(work);
    const answer = await ask(work);
    if (answer.calls.length > 0) await runCalls(work, answer, watch);
    work.signal.throwIfAborted();
    if (answer.calls.length === 0 && !(await takeSteering(work))) return textOf(answer.message);
  }
  throw new RuntimeError(
    'RUNTIME_TOO_MANY_ITERATIONS',
    `Expected agent ${work.agent.name} to be done after ${work.agent.maxIterations} answers of its model; it is not. ` +
      'What it did is kept: tell it to go on, or raise maxIterations.',
  );
}

function isPolling({ agent }: Work, name: string): boolean {
  const tool = agent.openToolbox().find(name);
  return tool?.type === 'bound' && tool.definition.isPolling === true;
}

/** Adds what was said to the running turn (RL5); whether there was anything. */
async function takeSteering({ agent, session, show, takeSteering: take }: Work): Promise<boolean> {
  const texts = take();
  for (const text of texts) {
    const message = { role: 'user', content: [{ type: 'text', text }] } as const;
    const { id } = await session.append({ type: 'message', message, agent: agent.name });
    await show({ type: 'steered', messageId: id });
  }
  return texts.length > 0;
}

/** An answer as it was stored. */
interface Answer {
  readonly item: string;
  readonly message: Omit<AssistantMessage, 'id'>;
  readonly calls: readonly ToolCallPart[];
}

/** What a failed model showed can't be taken back, so that it alone ends the turn; before, another way is tried (R1). */
async function ask(work: Work): Promise<Answer> {
  for (;;) {
    const shown = { any: false, text: '' };
    try {
      return await stream(work, shown);
    } catch (error) {
      await keepWords(work, shown.text);
      if (shown.any || work.signal.aborted) throw error;
      await recover(work, error);
    }
  }
}

async function stream(work: Work, shown: { any: boolean; text: string }): Promise<Answer> {
  const { agent, session, signal, show } = work;
  const { model } = work.progress;
  const messages = conversationOf(session.history()).map(({ message }) => message);
  const request = buildRequest(agent, { session, messages, tools: agent.openToolbox().declarations });
  for await (const event of model.stream(request, { signal })) {
    if (event.type === 'finished') return await store(work, event);
    shown.any = true;
    if (event.type === 'text-delta') shown.text += event.text;
    await show(event);
  }
  throw new RuntimeError('RUNTIME_ANSWER_CUT', `${model.id} stopped in the middle of its answer.`);
}

/** Durable before anything of it is run. */
async function store(
  work: Work,
  { message, usage }: Extract<ModelEvent, { readonly type: 'finished' }>,
): Promise<Answer> {
  const { agent, session, show } = work;
  const used = new Set(
    session.items.flatMap(({ body }) => (body?.type === 'message' ? idsOf(body.message) : [])),
  );
  const stored = { ...message, content: renameCalls(message.content, used) };
  const { id } = await session.append(
    { type: 'message', message: stored, agent: agent.name, usage },
    { spent: toTotals(usage) },
  );
  work.spend(usage);
  await show({ type: 'usage', model: message.model, usage });
  const calls = callsOf(stored);
  for (const { callId, name, input } of calls) await show({ type: 'tool-call', callId, name, input });
  await warnOfCut(work, stored);
  return { item: id, message: stored, calls };
}

async function warnOfCut({ show }: Work, { stopReason, model }: Omit<AssistantMessage, 'id'>): Promise<void> {
  if (stopReason !== 'max-tokens' && stopReason !== 'context-overflow') return;
  const message = `The answer is cut: ${model.id} reached the end of what it may say (${stopReason}).`;
  await show({ type: 'error', code: 'RUNTIME_ANSWER_CUT', message, recoverable: true });
}

function idsOf(message: Parameters<typeof callsOf>[0]): readonly string[] {
  return callsOf(message).map(({ callId }) => callId);
}

/** What the user saw of an answer that broke off, the model is told too. */
async function keepWords({ agent, session, progress }: Work, text: string): Promise<void> {
  if (text.trim() === '' || session.lost.aborted) return;
  const model = { provider: progress.model.provider, id: progress.model.id };
  const content = [{ type: 'text', text }] as const;
  const message = { role: 'assistant', content, model, stopReason: 'other' } as const;
  await session.append({ type: 'message', message, agent: agent.name });
}

/** Makes room after an overflow, once, or goes on with the next model; throws `error` where neither is left. */
async function recover(work: Work, error: unknown): Promise<void> {
  const { progress, show } = work;
  if (isOverflow(error) && !progress.hasMadeRoom) {
    progress.hasMadeRoom = true;
    if (await compact(work, 'overflow')) return;
  }
  const [next, ...fallbacks] = progress.fallbacks;
  if (next === undefined || !isWorthAnotherModel(error)) throw error;
  const message = `${error.message} Going on with ${next.id}.`;
  await show({ type: 'error', code: error.code, message, recoverable: true });
  progress.model = next;
  progress.fallbacks = fallbacks;
}

function isOverflow(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'PROVIDER_CONTEXT_OVERFLOW';
}

/** A request that is wrong, or a prompt that is refused, stays so elsewhere. */
function isWorthAnotherModel(error: unknown): error is ProviderError {
  const final = ['PROVIDER_BAD_REQUEST', 'PROVIDER_REFUSED'];
  return error instanceof ProviderError && !final.includes(error.code);
}
