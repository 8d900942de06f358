import type { AssistantMessage, ToolCallPart } from '@quartermaster/agent/messages';
import { ModelError } from '@quartermaster/providers';
import type { ModelEvent, ToolDeclaration } from '@quartermaster/providers';
import { RuntimeError } from '../runtime-error.ts';
import type { CacheNote } from '../sessions/item.ts';
import { callsOf, textOf } from '../sessions/history.ts';
import { buildRequest } from './build-request.ts';
import type { BuiltRequest } from './build-request.ts';
import { runCalls } from './calls.ts';
import { compact, compactWhenFull } from './compaction.ts';
import { foundAmong } from './found-tools.ts';
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
  const watch = createLoopWatch();
  for (let asked = 0; asked < work.agent.maxIterations; asked += 1) {
    await takeSteering(work);
    await compactWhenFull(work);
    const answer = await store(work, await ask(work));
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

/** An answer, whole. */
type Heard = Extract<ModelEvent, { readonly type: 'finished' }> &
  Pick<BuiltRequest, 'beginning' | 'note'> & { readonly foundTools: readonly ToolDeclaration[] };

/** What a failed model showed can't be taken back, so that its failure ends the turn; before, room may be made (R1). */
async function ask(work: Work): Promise<Heard> {
  for (;;) {
    const shown = { any: false, text: '' };
    try {
      return await listen(work, shown);
    } catch (error) {
      await tellFallbacks(work);
      await keepWords(work, shown.text);
      if (shown.any || work.signal.aborted) throw error;
      await makeRoom(work, error);
    }
  }
}

async function listen(work: Work, shown: { any: boolean; text: string }): Promise<Heard> {
  const { session, model, signal, show } = work;
  const { request, beginning, note } = await buildRequest(work, session.conversation());
  await tellOutdated(work, note);
  for await (const event of model.stream(request, { signal })) {
    await tellFallbacks(work);
    if (event.type === 'finished') {
      return { ...event, beginning, note, foundTools: foundAmong(request.tools, event.found ?? []) };
    }
    shown.any = true;
    if (event.type === 'text-delta') shown.text += event.text;
    await show(event);
  }
  throw new RuntimeError('RUNTIME_ANSWER_CUT', `${model.id} stopped in the middle of its answer.`);
}

/** An answer as it was stored. */
interface Answer {
  readonly item: string;
  readonly message: Omit<AssistantMessage, 'id'>;
  readonly calls: readonly ToolCallPart[];
}

/** Durable before anything of it is run. */
async function store(
  work: Work,
  { message, usage, beginning, note, foundTools: found }: Heard,
): Promise<Answer> {
  const { agent, session, show } = work;
  const used = new Set(
    session.items.flatMap(({ body }) => (body?.type === 'message' ? idsOf(body.message) : [])),
  );
  const stored = { ...message, content: renameCalls(message.content, used) };
  const { id } = await session.append(
    {
      type: 'message',
      message: stored,
      agent: agent.name,
      usage,
      beginning,
      ...(found.length > 0 && { found }),
      ...(isTelling(note) && { cache: note }),
    },
    { spent: toTotals(usage) },
  );
  work.spend(usage);
  await show({ type: 'usage', model: message.model, usage });
  const calls = callsOf(stored);
  for (const { callId, name, input } of calls) await show({ type: 'tool-call', callId, name, input });
  await warnOfCut(work, stored);
  return { item: id, message: stored, calls };
}

/** Once a turn for each tool (D5). */
async function tellOutdated({ progress: { outdated }, show }: Work, note: CacheNote): Promise<void> {
  for (const name of note.outdated) {
    if (outdated.has(name)) continue;
    outdated.add(name);
    const message = `The tool ${name} is described otherwise by now; this session keeps what it has sent until it is compacted.`;
    await show({ type: 'error', code: 'RUNTIME_TOOL_OUTDATED', message, recoverable: true });
  }
}

function isTelling({ breaks, outdated }: CacheNote): boolean {
  return breaks.length > 0 || outdated.length > 0;
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
async function keepWords({ agent, session, model: { provider, id } }: Work, text: string): Promise<void> {
  if (text.trim() === '' || session.lost.aborted) return;
  const content = [{ type: 'text', text }] as const;
  const message = { role: 'assistant', content, model: { provider, id }, stopReason: 'other' } as const;
  await session.append({ type: 'message', message, agent: agent.name });
}

/** A model that could not answer is told of before what another says in its place. */
async function tellFallbacks({ progress, show }: Work): Promise<void> {
  for (const { error, to } of progress.fallbacks.splice(0)) {
    const message = `${error.message} ${to.id} is asked in its place.`;
    await show({ type: 'error', code: error.code, message, recoverable: true });
  }
}

/** Makes room after an overflow, once in a turn; throws `error` where that is not it, or there is none to make. */
async function makeRoom(work: Work, error: unknown): Promise<void> {
  const isOverflow = error instanceof ModelError && error.code === 'PROVIDER_CONTEXT_OVERFLOW';
  if (!isOverflow || work.progress.hasMadeRoom) throw error;
  work.progress.hasMadeRoom = true;
  if (!(await compact(work, 'overflow'))) throw error;
}
