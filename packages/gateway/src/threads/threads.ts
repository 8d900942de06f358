import type { Store, ThreadKey, ThreadRecord, ThreadStore } from '@quartermaster/store';
import { setYoungest } from '../drop-oldest.ts';
import { threadId } from './thread-id.ts';
import type { Clock, Log } from '../options.ts';
import { type Decision, parseDecision, printDecision } from './decision.ts';
import { createOpenings, type KeptOpening } from './openings.ts';
import type { ThreadAnswer, ThreadQuestion, TranscriptFacts } from './question.ts';
import { createSettlement, type Settlement } from './settlement.ts';

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
  /** What becomes of a request that can't be done by as its thread is, since the store does not tell how (O3). */
  answerUnreadable(key: ThreadKey, facts: TranscriptFacts): ThreadAnswer;
  /** The tenant's threads in memory, the longest unused first. */
  known(tenant: string): readonly KnownThread[];
  /** "Nothing" for the rest of its life, whatever was decided before (RF2, RF4); the store and forks follow. */
  giveUp(
    thread: Pick<ThreadQuestion, 'key' | 'opening'>,
    decision: Extract<Decision, { type: 'nothing' }>,
  ): void;
  /** Renews the stored life of the threads used lately (O10). */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** What threads are decided with. */
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

interface ThreadState extends KeptOpening {
  readonly key: ThreadKey;
  decision: Decision | undefined;
  /** Names the row of the store that the decision stands in. */
  attempt: string | undefined;
  decidedAtMs: number;
  usedAtMs: number;
  bodyBytes: number;
  hasBoundThinking: boolean;
  /** When decisions were ended, as its last request had it. */
  endedAtMs: number;
  /** The first request of a thread decides; those that come meanwhile wait for it. */
  pending: Promise<ThreadAnswer> | undefined;
  refusals: number;
  isGivenUp: boolean;
  /** Its first request went as it came, since the record could not be read: "nothing" where there is none (O3). */
  wentUnread: boolean;
}

const maxThreadsInMemory = 20_000;
/** After so many answers "come again" the request goes through as it is (O3). */
const maxRefusals = 3;

/** Knows no thread yet; the longest unused give way in memory beyond a bound, and are read again. */
export function createThreads(options: ThreadsOptions): Threads {
  const states = new Map<string, ThreadState>();
  const usedSinceFlush = new Map<string, ThreadKey>();
  const settlement = createSettlement({
    store: options.store?.threads,
    log: options.log,
    onTaken: (row, attempt) => takeOver(states.get(threadId(row)), row, attempt),
  });
  const openings = createOpenings(options);

  async function resolve(state: ThreadState, question: ThreadQuestion): Promise<ThreadAnswer> {
    const { key, decide, persistence, hasAssistantTurns } = question;
    const { store } = options;
    state.decidedAtMs = timeOfDecision(options.clock.now(), question);
    if (store === undefined || persistence === 'memory')
      return { type: 'decided', decision: await decide(), isNew: true };
    const waitMs = hasAssistantTurns ? options.rereadMs : options.readMs;
    const record = await inTime(store.threads.read(key), waitMs);
    if (record === unreadable) return answerUnreadable(state, question);
    if (record !== undefined && !isEnded(record, question)) {
      return adopt(state, record, question, { isNew: false });
    }
    if (persistence === 'read') return { type: 'decided', decision: await decide(), isNew: true };
    // A thread whose decision was ended began as itself, and would find that very decision again.
    const inherited = record === undefined ? await findInherited(question, waitMs) : undefined;
    if (inherited === unreadable) return answerUnreadable(state, question);
    const wanted = inherited ?? (state.wentUnread ? unread : await decide());
    // What is inherited is durable under its opening, where every gateway finds it, also without a record of the thread.
    const decisions = { wanted, unconfirmed: inherited ?? unconfirmed };
    const claimed = await claim(store.threads, question, { ...decisions, ...options, settlement });
    return adopt(state, claimed, question, { isNew: true });
  }

  /** The decision of the conversation that this one goes on with, where it does (O5). */
  async function findInherited(
    question: ThreadQuestion,
    waitMs: number,
  ): Promise<Decision | undefined | typeof unreadable> {
    const opening = await inTime(openings.find(question), waitMs);
    if (opening === unreadable || opening === undefined) return opening;
    return parseDecision(opening) ?? unreadable;
  }

  function keepOpening(state: ThreadState, question: ThreadQuestion, answer: ThreadAnswer): ThreadAnswer {
    if (answer.type === 'decided') openings.keepOnce(state, question, answer.decision);
    return answer;
  }

  return {
    async decisionFor(question) {
      const { key } = question;
      const id = threadId(key);
      const state = touchState(states, key);
      noteUse(state, question, options.clock.now());
      if (question.persistence !== 'memory') usedSinceFlush.set(id, key);
      if (state.decidedAtMs < state.endedAtMs && !isRefused(state.decision)) state.decision = undefined;
      const known = state.decision ?? settlement.decisionOf(key);
      if (known !== undefined)
        return keepOpening(state, question, { type: 'decided', decision: known, isNew: false });
      if (state.pending !== undefined) return withoutNews(await state.pending);
      state.pending = resolve(state, question);
      try {
        const answer = await state.pending;
        if (answer.type === 'decided') state.decision ??= answer.decision;
        return keepOpening(state, question, answer);
      } finally {
        state.pending = undefined;
      }
    },
    answerUnreadable: (key, facts) => answerUnreadable(touchState(states, key), facts),
    known: (tenant) => knownOf(states, tenant),
    giveUp({ key, opening }, decision) {
      const state = touchState(states, key);
      state.decision = decision;
      state.isGivenUp = true;
      openings.replace({ key, opening }, decision);
      const { attempt } = state;
      // A record that can't be read may be anybody's; after a restart the provider says it again (O3).
      if (attempt === undefined) return;
      settlement.replace(recordOf(key, decision, { nowMs: options.clock.now(), attempt }));
    },
    async flush() {
      const used = [...usedSinceFlush];
      if (used.length === 0) return;
      await options.store?.threads.touch(
        Array.from(used, ([, key]) => key),
        options.clock.now(),
      );
      // Only now: what could not be written is still to be. A use that came meanwhile is younger than that by seconds.
      for (const [id] of used) usedSinceFlush.delete(id);
    },
    async close() {
      await Promise.all([settlement.close(), openings.close()]);
    },
  };
}

function knownOf(states: ReadonlyMap<string, ThreadState>, tenant: string): readonly KnownThread[] {
  return [...states.values()].flatMap(({ decision, ...state }) =>
    state.key.tenant === tenant && decision !== undefined ? [{ ...state, decision }] : [],
  );
}

/** The state of a thread, moved to the young end; the oldest falls out of memory, not out of the store. */
function touchState(states: Map<string, ThreadState>, key: ThreadKey): ThreadState {
  const id = threadId(key);
  const state = states.get(id) ?? newState(key);
  setYoungest(states, id, state, maxThreadsInMemory);
  return state;
}

function newState(key: ThreadKey): ThreadState {
  return {
    key,
    decision: undefined,
    attempt: undefined,
    decidedAtMs: 0,
    usedAtMs: 0,
    bodyBytes: 0,
    hasBoundThinking: false,
    endedAtMs: 0,
    pending: undefined,
    refusals: 0,
    isGivenUp: false,
    wentUnread: false,
    shape: undefined,
  };
}

/** Another attempt was first after all: its row holds (O2), unless the thread was given up, or the row was ended. */
function takeOver(state: ThreadState | undefined, row: ThreadRecord, attempt: string): void {
  if (state === undefined || state.attempt !== attempt || state.isGivenUp) return;
  if (row.decidedAtMs < state.endedAtMs) return;
  state.decision = parseDecision(row.decision) ?? state.decision;
  Object.assign(state, { attempt: row.attempt, decidedAtMs: row.decidedAtMs });
}

function noteUse(state: ThreadState, question: ThreadQuestion, nowMs: number): void {
  const { bodyBytes = 0, hasBoundThinking } = question;
  Object.assign(state, { usedAtMs: nowMs, bodyBytes, hasBoundThinking, endedAtMs: endOf(question) });
}

/**
 * When decisions of this thread were ended, if they were. One with thinking blocks that its model binds to the prefix
 * is spared: its provider would refuse every further request.
 */
function endOf({ endedAtMs = 0, hasBoundThinking }: ThreadQuestion): number {
  return hasBoundThinking ? 0 : endedAtMs;
}

/** Never before the end of what came before, also where the clock has jumped back since. */
function timeOfDecision(nowMs: number, question: ThreadQuestion): number {
  return Math.max(nowMs, endOf(question));
}

function isEnded({ decidedAtMs, decision }: ThreadRecord, question: ThreadQuestion): boolean {
  return decidedAtMs < endOf(question) && !isRefused(parseDecision(decision));
}

/** RF2, RF5: what a provider has refused never returns within a thread. */
function isRefused(decision: Decision | undefined): boolean {
  return decision?.type === 'nothing' && (decision.reason === 'refused' || decision.hasLostPrefix === true);
}

function recordOf(
  key: ThreadKey,
  decision: Decision,
  { nowMs, attempt }: { readonly nowMs: number; readonly attempt: string },
): ThreadRecord {
  return { ...key, decision: printDecision(decision), decidedAtMs: nowMs, attempt };
}

const unreadable = Symbol('unreadable');

/** What the store answers in time; what comes late or fails is unreadable for now (O3). */
async function inTime<Answer>(reading: Promise<Answer>, waitMs: number): Promise<Answer | typeof unreadable> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof unreadable>((resolve) => {
    timer = setTimeout(() => resolve(unreadable), waitMs);
  });
  try {
    return await Promise.race([reading, timeout]);
  } catch {
    return unreadable;
  } finally {
    clearTimeout(timer);
  }
}

/** Makes a decision durable; what the store does not confirm in time is `unconfirmed` instead (O1). */
async function claim(
  store: ThreadStore,
  question: ThreadQuestion,
  { wanted, unconfirmed, settlement, clock, ids, claimMs }: Claiming,
): Promise<ThreadRecord> {
  const nowMs = clock.now();
  const decidedAtMs = timeOfDecision(nowMs, question);
  const record = recordOf(question.key, wanted, { nowMs: decidedAtMs, attempt: ids() });
  const outcome = await store.claim(record, { deadlineMs: nowMs + claimMs, endedAtMs: endOf(question) });
  if (outcome.type !== 'unconfirmed') return outcome.record;
  const settled = { ...record, decision: printDecision(unconfirmed) };
  settlement.settle(settled);
  return settled;
}

interface Claiming extends Pick<ThreadsOptions, 'clock' | 'ids' | 'claimMs'> {
  readonly wanted: Decision;
  readonly unconfirmed: Decision;
  readonly settlement: Settlement;
}

/** A record of a later version's making is as unreadable as one that does not come. */
function adopt(
  state: ThreadState,
  { decision: text, attempt, decidedAtMs }: Pick<ThreadRecord, 'decision' | 'attempt' | 'decidedAtMs'>,
  facts: TranscriptFacts,
  { isNew }: { readonly isNew: boolean },
): ThreadAnswer {
  const decision = parseDecision(text);
  if (decision === undefined) return answerUnreadable(state, facts);
  Object.assign(state, { attempt, decidedAtMs });
  return { type: 'decided', decision, isNew };
}

const unconfirmed: Decision = { type: 'nothing', reason: 'claim-unconfirmed' };
const unread: Decision = { type: 'nothing', reason: 'record-unreadable' };

function answerUnreadable(
  state: ThreadState,
  { hasAssistantTurns, hasBoundThinking }: TranscriptFacts,
): ThreadAnswer {
  state.wentUnread ||= !hasAssistantTurns;
  if (!hasAssistantTurns || !hasBoundThinking || state.refusals >= maxRefusals) return { type: 'unreadable' };
  state.refusals += 1;
  return { type: 'wait' };
}

function withoutNews(answer: ThreadAnswer): ThreadAnswer {
  return answer.type === 'decided' ? { ...answer, isNew: false } : answer;
}
