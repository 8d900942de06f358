import type { Message } from '@quartermaster/agent/messages';
import type { TurnEventContent } from '@quartermaster/agent/turns';
import type { ModelEvent } from '@quartermaster/providers';
import { RuntimeError } from '../runtime-error.ts';
import { textOf, withoutReasoning } from '../sessions/history.ts';
import type { HistoryEntry } from '../sessions/history.ts';
import { buildSideRequest } from './build-request.ts';
import { describeError } from './describe-error.ts';
import { measureFixedCost, requireRoom } from './fixed-cost.ts';
import { contextTokensOf, estimateTokens } from './estimate-tokens.ts';
import { toTotals } from './usage.ts';
import type { Work } from './work.ts';

type Reason = Extract<TurnEventContent, { readonly type: 'compaction' }>['reason'];

/**
 * Compacts a session whose conversation nearly fills the model's context (RL3). A failure is told, and no reason to end
 * a turn: what is there still fits. It is not tried again in the same turn.
 */
export async function compactWhenFull(work: Work): Promise<void> {
  const { session, model, progress, limits, signal } = work;
  const { contextTokens } = model;
  const used = contextTokensOf(session.conversation());
  if (contextTokens === undefined || used <= contextTokens * limits.compactAtShare) return;
  if (progress.hasGivenUpCompacting) return;
  try {
    await compact(work, 'threshold');
  } catch (error) {
    signal.throwIfAborted();
    progress.hasGivenUpCompacting = true;
    await work.show({ type: 'error', ...describeError(error), recoverable: true });
  }
}

/**
 * Puts a summary in the place of the conversation but its end (RL3); whether there was anything to put it in the place
 * of. On command nothing is kept. What was spent stays counted, the summary's own tokens too.
 */
export async function compact(work: Work, reason: Reason): Promise<boolean> {
  if (reason !== 'command') requireRoomBesideTools(work);
  const history = work.session.history();
  const conversation = work.session.conversation();
  const keptFrom = reason === 'command' ? conversation.length : findKept(conversation, keptTokensOf(work));
  const replaced = conversation.slice(0, keptFrom);
  if (replaced.every(({ message }) => message.id === history.summary?.id)) return false;
  const { message, usage } = await summarize(work, replaced, reason);
  const text = textOf(message);
  if (text.trim() === '') throw noSummary(message.model.id);
  const firstKept = conversation[keptFrom]?.message.id;
  await work.session.append(
    { type: 'summary', text, ...(firstKept !== undefined && { firstKept }) },
    { spent: toTotals(usage), toolDeferrals: null },
  );
  work.spend(usage);
  await work.show({ type: 'usage', model: message.model, usage });
  await work.show({ type: 'compaction', reason });
  return true;
}

/** No summary helps where the conversation is not what is too long (case 39). */
function requireRoomBesideTools({ agent, model, limits: { compactAtShare }, openToolbox }: Work): void {
  const { contextTokens } = model;
  if (contextTokens === undefined) return;
  const { system, toolsetOf } = agent;
  const cost = measureFixedCost({ system, tools: openToolbox().declarations, toolsetOf });
  requireRoom(cost, { model: model.id, contextTokens, compactAtShare });
}

function keptTokensOf({ limits, model }: Work): number {
  return Math.min(limits.keptTokens, (model.contextTokens ?? Infinity) * maxKeptShare);
}

/** 0–1: a small model keeps less. */
const maxKeptShare = 0.25;

/** Where the kept end begins: as early as its size allows, with the last step whole, never between calls and results. */
function findKept(conversation: readonly HistoryEntry[], keptTokens: number): number {
  let tokens = 0;
  let start = conversation.length;
  for (const [index, { message }] of [...conversation.entries()].toReversed()) {
    tokens += estimateTokens(message);
    if (message.role === 'tool') continue; // it goes with the answer before it
    if (tokens > keptTokens && start < conversation.length) break;
    start = index;
  }
  return start;
}

async function summarize(
  work: Work,
  replaced: readonly HistoryEntry[],
  reason: Reason,
): Promise<Extract<ModelEvent, { readonly type: 'finished' }>> {
  const { model, signal } = work;
  // What fits is sent as it was sent before, with the tools: the provider has it in its cache.
  const conversation = reason === 'overflow' ? shorten(replaced, model.contextTokens) : replaced;
  const request = buildSideRequest(work, conversation, summaryRequest);
  for await (const event of model.stream(request, { signal })) {
    if (event.type === 'finished') return event;
  }
  throw noSummary(model.id);
}

/** The newest half of what the model can take: the whole was too much for it. */
function shorten(
  replaced: readonly HistoryEntry[],
  contextTokens: number | undefined,
): readonly HistoryEntry[] {
  const whole = replaced.reduce((total, { message }) => total + estimateTokens(message), 0);
  const start = findKept(replaced, Math.min(whole, contextTokens ?? whole) / 2);
  // Thoughts are bound to the beginning that is missing here.
  const kept = replaced.slice(start).map((entry) => ({ ...entry, message: withoutReasoning(entry.message) }));
  return [leftOut, ...kept];
}

/** A conversation begins with the user. */
const leftOut: HistoryEntry = {
  message: {
    role: 'user',
    id: 'left-out',
    content: [
      { type: 'text', text: '[The beginning of this conversation was too long and is left out here.]' },
    ],
  },
  agent: '',
  position: 0,
  atMs: 0,
  usage: undefined,
};

const summaryRequest: Message = {
  role: 'user',
  id: 'summary-request',
  content: [
    {
      type: 'text',
      text: `Stop working here and write a summary of this conversation. It will stand in the conversation's place, and whoever goes on with the work will have nothing else, so leave out nothing that they need. Do not call a tool. Write, under a heading each:
1. Goal: what the user wants, in their own words where these matter, with every rule and limit they set.
2. Done: what was done and found out, with exact names, paths, values, commands and error messages.
3. State: what stands now, what is half done, what has been changed and not yet checked.
4. Next: what is to be done next, and which questions are open.`,
    },
  ],
};

function noSummary(model: string): RuntimeError {
  return new RuntimeError(
    'RUNTIME_NO_SUMMARY',
    `Expected ${model} to write a summary of the session; it wrote none. Nothing was changed: try again, or with another model.`,
  );
}
