import type { Store, ThreadKey, ThreadRecord } from '@quartermaster/store';
import type { Clock, Log } from '../options.ts';
import { type Decision, parseDecision, printDecision } from './decision.ts';
import { createOpenings } from './openings.ts';
import type { ThreadAnswer, ThreadQuestion, TranscriptFacts } from './question.ts';
import { createSettlement } from './settlement.ts';

/** A thread that was seen since the start. */
export interface KnownThread {
  readonly key: ThreadKey;
  readonly decision: Decision;
  readonly decidedAtMs: number;
  /** Of its last request. */
  readonly usedAtMs: number;
  readonly bodyBytes: number;
  readonly hasBoundThinking: boolean;
}

/** The decision of every thread: made once, durable before use, the same for life (O1–O5, O7). */
export interface Threads {
  /** The thread's decision: from memory, from the store, or a new one. */
  decisionFor(question: ThreadQuestion): Promise<ThreadAnswer>;
  /** The tenant's threads in memory, the longest unused first. */
  known(tenant: string): readonly KnownThread[];
  /** Renews the stored life of the threads used lately (O10). */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface ThreadsOptions {
  /** `undefined`: none that is durable, so every thread is decided in memory. */
  readonly store: Pick<Store, 'threads' | 'openings'> | undefined;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly log: Log;
  readonly claimMs: number;
  readonly readMs: number;
  /** With assistant turns in the transcript the record matters more than the wait. */
  readonly rereadMs: number;
}

interface ThreadState {
  readonly key: ThreadKey;
  decision: Decision | undefined;
  decidedAtMs: number;
  usedAtMs: number;
  bodyBytes: number;
  hasBoundThinking: boolean;
  /** The first request of a thread decides; those that come meanwhile wait for it. */
  pending: Promise<ThreadAnswer> | undefined;
  refusals: number;
  /** Whether its opening is in the store, so that a fork finds it (O5). */
  isOpeningKept: boolean;
}

const maxThreadsInMemory = 20_000;
/** After so many answers "come again" the request goes through as it is (O3). */
const maxRefusals = 3;

export function createThreads(options: ThreadsOptions): Threads {
  const states = new Map<string, ThreadState>();
  const usedSinceFlush = new Map<string, ThreadKey>();
  const settlement = createSettlement({ store: options.store?.threads, log: options.log });
  const openings = createOpenings(options);

  async function resolve(state: ThreadState, question: ThreadQuestion): Promise<ThreadAnswer> {
    const { key, decide, persistence, hasAssistantTurns } = question;
    const { store } = options;
    state.decidedAtMs = Math.max(options.clock.now(), endOf(question));
    if (store === undefined || persistence === 'memory')
      return { type: 'decided', decision: decide(), isNew: true };
    const waitMs = hasAssistantTurns ? options.rereadMs : options.readMs;
    const stored = await readInTime(() => store.threads.read(key), waitMs);
    if (stored.type === 'unreadable') return answerUnreadable(state, question);
    const { record } = stored;
    if (record !== undefined && record.decidedAtMs >= endOf(question)) return adopt(state, question, record);
    if (persistence === 'read') return { type: 'decided', decision: decide(), isNew: true };
    // A thread whose decision was ended began as itself, and would find that very decision again.
    const inherited =
      record === undefined ? await readDecision(() => openings.find(question), waitMs) : nothingStored;
    if (inherited.type === 'unreadable') return answerUnreadable(state, question);
    const decision = await claim(state, question, inherited.decision ?? decide());
    return decision === undefined
      ? answerUnreadable(state, question)
      : { type: 'decided', decision, isNew: true };
  }

  function adopt(state: ThreadState, question: ThreadQuestion, record: ThreadRecord): ThreadAnswer {
    const decision = parseDecision(record.decision);
    if (decision === undefined) return answerUnreadable(state, question);
    state.decidedAtMs = record.decidedAtMs;
    return { type: 'decided', decision, isNew: false };
  }

  async function claim(
    state: ThreadState,
    question: ThreadQuestion,
    wanted: Decision,
  ): Promise<Decision | undefined> {
    const record: ThreadRecord = {
      ...question.key,
      decision: printDecision(wanted),
      decidedAtMs: state.decidedAtMs,
      attempt: options.ids(),
    };
    const deadlineMs = options.clock.now() + options.claimMs;
    const outcome = await options.store?.threads.claim(record, { deadlineMs, endedAtMs: endOf(question) });
    if (outcome !== undefined && outcome.type !== 'unconfirmed') {
      state.decidedAtMs = outcome.record.decidedAtMs;
      return parseDecision(outcome.record.decision);
    }
    const nothing: Decision = { type: 'nothing', reason: 'claim-unconfirmed' };
    settlement.settle({ ...record, decision: printDecision(nothing) });
    return nothing;
  }

  /** Once per thread, when its opening is whole: so that a fork finds the decision by it. */
  function keepOpening(state: ThreadState, question: ThreadQuestion, answer: ThreadAnswer): ThreadAnswer {
    const isDue = question.hasAssistantTurns && question.persistence === 'claim' && !state.isOpeningKept;
    if (isDue && answer.type === 'decided') {
      state.isOpeningKept = true;
      openings.keep(question, answer.decision);
    }
    return answer;
  }

  return {
    async decisionFor(question) {
      const { key } = question;
      const id = JSON.stringify([key.tenant, key.session, key.agent]);
      const state = touchState(states, id, question, options.clock.now());
      if (question.persistence !== 'memory') usedSinceFlush.set(id, key);
      if (state.decision !== undefined && state.decidedAtMs < endOf(question)) forget(state);
      const known = state.decision ?? settlement.decisionOf(key);
      if (known !== undefined)
        return keepOpening(state, question, { type: 'decided', decision: known, isNew: false });
      if (state.pending !== undefined) return withoutNews(await state.pending);
      state.pending = resolve(state, question);
      try {
        const answer = await state.pending;
        if (answer.type === 'decided') state.decision = answer.decision;
        return keepOpening(state, question, answer);
      } finally {
        state.pending = undefined;
      }
    },
    known: (tenant) =>
      [...states.values()].flatMap(({ decision, ...state }) =>
        state.key.tenant === tenant && decision !== undefined ? [{ ...state, decision }] : [],
      ),
    async flush() {
      const keys = [...usedSinceFlush.values()];
      usedSinceFlush.clear();
      if (keys.length > 0) await options.store?.threads.touch(keys, options.clock.now());
    },
    async close() {
      await Promise.all([settlement.close(), openings.close()]);
    },
  };
}

/** The state of a thread, moved to the young end; the oldest falls out of memory, not out of the store. */
function touchState(
  states: Map<string, ThreadState>,
  id: string,
  { key, bodyBytes = 0, hasBoundThinking }: ThreadQuestion,
  nowMs: number,
): ThreadState {
  const state = states.get(id) ?? newState(key);
  Object.assign(state, { usedAtMs: nowMs, bodyBytes, hasBoundThinking });
  states.delete(id);
  states.set(id, state);
  if (states.size > maxThreadsInMemory) {
    const [oldest] = states.keys();
    if (oldest !== undefined) states.delete(oldest);
  }
  return state;
}

function newState(key: ThreadKey): ThreadState {
  return {
    key,
    decision: undefined,
    decidedAtMs: 0,
    usedAtMs: 0,
    bodyBytes: 0,
    hasBoundThinking: false,
    pending: undefined,
    refusals: 0,
    isOpeningKept: false,
  };
}

/** The opening stays as it is kept: forks of what was before the end share the prefix of then. */
function forget(state: ThreadState): void {
  state.decision = undefined;
}

/**
 * When decisions of this thread were ended, if they were. One with thinking blocks that its model binds to the prefix
 * is spared: its provider would refuse every further request.
 */
function endOf({ endedAtMs = 0, hasBoundThinking }: ThreadQuestion): number {
  return hasBoundThinking ? 0 : endedAtMs;
}

type Stored =
  | { readonly type: 'read'; readonly decision: Decision | undefined }
  | { readonly type: 'unreadable' };

const nothingStored: Stored = { type: 'read', decision: undefined };

/** Reads a stored decision in time. What is of a later version's making is as unreadable as what does not come. */
async function readDecision(read: () => Promise<string | undefined>, waitMs: number): Promise<Stored> {
  const stored = await readInTime(read, waitMs);
  if (stored.type === 'unreadable') return stored;
  if (stored.record === undefined) return nothingStored;
  const decision = parseDecision(stored.record);
  return decision === undefined ? { type: 'unreadable' } : { type: 'read', decision };
}

async function readInTime<Row>(
  read: () => Promise<Row | undefined>,
  waitMs: number,
): Promise<{ readonly type: 'read'; readonly record: Row | undefined } | { readonly type: 'unreadable' }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ readonly type: 'unreadable' }>((resolve) => {
    timer = setTimeout(() => resolve({ type: 'unreadable' }), waitMs);
  });
  try {
    return await Promise.race([read().then((record) => ({ type: 'read', record }) as const), late]);
  } catch {
    return { type: 'unreadable' };
  } finally {
    clearTimeout(timer);
  }
}

function answerUnreadable(
  state: ThreadState,
  { hasAssistantTurns, hasBoundThinking }: TranscriptFacts,
): ThreadAnswer {
  if (!hasAssistantTurns || !hasBoundThinking || state.refusals >= maxRefusals) return { type: 'unreadable' };
  state.refusals += 1;
  return { type: 'wait' };
}

function withoutNews(answer: ThreadAnswer): ThreadAnswer {
  return answer.type === 'decided' ? { ...answer, isNew: false } : answer;
}
