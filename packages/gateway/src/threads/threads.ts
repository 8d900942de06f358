import type { Store, ThreadKey, ThreadRecord, ThreadStore } from '@quartermaster/store';
import type { Clock, Log } from '../options.ts';
import { type Decision, parseDecision, printDecision } from './decision.ts';
import { createOpenings } from './openings.ts';
import type { ThreadAnswer, ThreadQuestion, TranscriptFacts } from './question.ts';
import { createSettlement } from './settlement.ts';

/** The decision of every thread: made once, durable before use, the same for life (O1–O5, O7). */
export interface Threads {
  /** The thread's decision: from memory, from the store, or a new one. */
  decisionFor(question: ThreadQuestion): Promise<ThreadAnswer>;
  /** "Nothing" for the rest of its life, whatever was decided before (RF2, RF4); the store and forks follow. */
  giveUp(
    thread: Pick<ThreadQuestion, 'key' | 'opening'>,
    decision: Extract<Decision, { type: 'nothing' }>,
  ): void;
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
  decision: Decision | undefined;
  /** Names the row of the store that the decision stands in. */
  attempt: string | undefined;
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
    if (store === undefined || persistence === 'memory')
      return { type: 'decided', decision: await decide(), isNew: true };
    const waitMs = hasAssistantTurns ? options.rereadMs : options.readMs;
    const record = await inTime(store.threads.read(key), waitMs);
    if (record === unreadable) return answerUnreadable(state, question);
    if (record !== undefined) return adopt(state, record, question, { isNew: false });
    if (persistence === 'read') return { type: 'decided', decision: await decide(), isNew: true };
    const opening = await inTime(openings.find(question), waitMs);
    if (opening === unreadable) return answerUnreadable(state, question);
    const inherited = opening === undefined ? undefined : parseDecision(opening);
    if (opening !== undefined && inherited === undefined) return answerUnreadable(state, question);
    const claimed = await claim(store.threads, key, inherited ?? (await decide()));
    return adopt(state, claimed, question, { isNew: true });
  }

  /** A record of a later version's making is as unreadable as one that does not come. */
  function adopt(
    state: ThreadState,
    { decision: text, attempt }: Pick<ThreadRecord, 'decision' | 'attempt'>,
    facts: TranscriptFacts,
    { isNew }: { readonly isNew: boolean },
  ): ThreadAnswer {
    const decision = parseDecision(text);
    if (decision === undefined) return answerUnreadable(state, facts);
    state.attempt = attempt;
    return { type: 'decided', decision, isNew };
  }

  async function claim(store: ThreadStore, key: ThreadKey, wanted: Decision): Promise<ThreadRecord> {
    const nowMs = options.clock.now();
    const record: ThreadRecord = {
      ...key,
      decision: printDecision(wanted),
      decidedAtMs: nowMs,
      attempt: options.ids(),
    };
    const outcome = await store.claim(record, { deadlineMs: nowMs + options.claimMs });
    if (outcome.type !== 'unconfirmed') return outcome.record;
    const nothing = {
      ...record,
      decision: printDecision({ type: 'nothing', reason: 'claim-unconfirmed' }),
    };
    settlement.settle(nothing);
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
      const id = idOf(key);
      const state = touchState(states, id);
      if (question.persistence !== 'memory') usedSinceFlush.set(id, key);
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
    giveUp({ key, opening }, decision) {
      const state = touchState(states, idOf(key));
      state.decision = decision;
      openings.replace({ key, opening }, decision);
      const { attempt } = state;
      if (attempt === undefined) return;
      settlement.replace({
        ...key,
        decision: printDecision(decision),
        decidedAtMs: options.clock.now(),
        attempt,
      });
    },
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
function touchState(states: Map<string, ThreadState>, id: string): ThreadState {
  const state = states.get(id) ?? {
    decision: undefined,
    attempt: undefined,
    pending: undefined,
    refusals: 0,
    isOpeningKept: false,
  };
  states.delete(id);
  states.set(id, state);
  if (states.size > maxThreadsInMemory) {
    const [oldest] = states.keys();
    if (oldest !== undefined) states.delete(oldest);
  }
  return state;
}

function idOf({ tenant, session, agent }: ThreadKey): string {
  return JSON.stringify([tenant, session, agent]);
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
