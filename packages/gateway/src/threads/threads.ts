import type { Store, ThreadKey, ThreadRecord, ThreadStore } from '@quartermaster/store';
import type { Clock, Log } from '../options.ts';
import { type Decision, parseDecision, printDecision } from './decision.ts';
import { createOpenings } from './openings.ts';
import { createSettlement } from './settlement.ts';

/** What a request shows of its conversation so far. */
export interface TranscriptFacts {
  readonly hasAssistantTurns: boolean;
  /** Whether thinking blocks stand in it that its model binds to the prefix. */
  readonly hasBoundThinking: boolean;
}

/**
 * `decided`: for life. `unreadable`: the record can't be read now, the request goes as it came. `wait`: the same where
 * that would be refused, so the client is asked to come again (O3).
 */
export type ThreadAnswer =
  | { readonly type: 'decided'; readonly decision: Decision; readonly isNew: boolean }
  | { readonly type: 'unreadable' }
  | { readonly type: 'wait' };

/**
 * `claim`: a new decision is durable before it is handed out. `read`: a stored one holds, a new one stays in memory.
 * `memory`: the store is not asked.
 */
export type Persistence = 'claim' | 'read' | 'memory';

export interface ThreadQuestion extends TranscriptFacts {
  readonly key: ThreadKey;
  readonly persistence: Persistence;
  /** The fingerprint of the conversation's opening, where one can be told from others by it (O5). */
  readonly opening: () => string | undefined;
  /** Tells one opening of the thread from the next, as cheaply as every request can afford; `undefined` as `opening`. */
  readonly firstAnswer: string | undefined;
  /** Makes the decision of a thread that has none. */
  readonly decide: () => Decision;
}

export interface Threads {
  /** The thread's decision: from memory, from the store, or a new one. */
  decisionFor(question: ThreadQuestion): Promise<ThreadAnswer>;
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
  /** The first request of a thread decides; those that come meanwhile wait for it. */
  pending: Promise<ThreadAnswer> | undefined;
  refusals: number;
  /** Its first request went as it came, since the record could not be read: "nothing" where there is none (O3). */
  wentUnread: boolean;
  /** The first answer of the opening that is in the store, so that a fork finds it (O5); a compaction makes another. */
  keptAnswer: string | undefined;
}

const maxThreadsInMemory = 20_000;
/** After so many answers "come again" the request goes through as it is (O3). */
const maxRefusals = 3;

export function createThreads(options: ThreadsOptions): Threads {
  const states = new Map<string, ThreadState>();
  const usedSinceFlush = new Map<string, ThreadKey>();
  const settlement = createSettlement({
    store: options.store?.threads,
    log: options.log,
    onTaken(record) {
      const state = states.get(idOf(record));
      if (state !== undefined) state.decision = parseDecision(record.decision) ?? state.decision;
    },
  });
  const openings = createOpenings(options);

  async function resolve(state: ThreadState, question: ThreadQuestion): Promise<ThreadAnswer> {
    const { key, decide, persistence, hasAssistantTurns } = question;
    const { store } = options;
    if (store === undefined || persistence === 'memory')
      return { type: 'decided', decision: decide(), isNew: true };
    const waitMs = hasAssistantTurns ? options.rereadMs : options.readMs;
    const stored = await readDecision(() => readRecord(store.threads, key), waitMs);
    if (stored.type === 'unreadable') return answerUnreadable(state, question);
    if (stored.decision !== undefined) return { type: 'decided', decision: stored.decision, isNew: false };
    if (persistence === 'read') return { type: 'decided', decision: decide(), isNew: true };
    const inherited = await readDecision(() => openings.find(question), waitMs);
    if (inherited.type === 'unreadable') return answerUnreadable(state, question);
    const wanted = inherited.decision ?? (state.wentUnread ? unread : decide());
    // What is inherited is durable under its opening, and any gateway would inherit it: there it can be found again.
    const unconfirmed = inherited.decision ?? { type: 'nothing', reason: 'claim-unconfirmed' };
    const decision = await claim(store.threads, key, { wanted, unconfirmed });
    return decision === undefined
      ? answerUnreadable(state, question)
      : { type: 'decided', decision, isNew: true };
  }

  async function claim(
    store: ThreadStore,
    key: ThreadKey,
    { wanted, unconfirmed }: { readonly wanted: Decision; readonly unconfirmed: Decision },
  ): Promise<Decision | undefined> {
    const nowMs = options.clock.now();
    const record: ThreadRecord = {
      ...key,
      decision: printDecision(wanted),
      decidedAtMs: nowMs,
      attempt: options.ids(),
    };
    const outcome = await store.claim(record, { deadlineMs: nowMs + options.claimMs });
    if (outcome.type !== 'unconfirmed') return parseDecision(outcome.record.decision);
    settlement.settle({ ...record, decision: printDecision(unconfirmed) });
    return unconfirmed;
  }

  /** Once per opening, when it is whole, so that a fork finds the decision by it; one that can't be written, again. */
  function keepOpening(state: ThreadState, question: ThreadQuestion, answer: ThreadAnswer): ThreadAnswer {
    const { firstAnswer, persistence } = question;
    const isDue = persistence === 'claim' && firstAnswer !== undefined && firstAnswer !== state.keptAnswer;
    if (isDue && answer.type === 'decided') {
      state.keptAnswer = firstAnswer;
      void openings.keep(question, answer.decision).then((isKept) => {
        if (!isKept && state.keptAnswer === firstAnswer) state.keptAnswer = undefined;
      });
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
        if (answer.type === 'decided') state.decision = answer.decision;
        return keepOpening(state, question, answer);
      } finally {
        state.pending = undefined;
      }
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
    pending: undefined,
    refusals: 0,
    wentUnread: false,
    keptAnswer: undefined,
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

type Stored =
  | { readonly type: 'read'; readonly decision: Decision | undefined }
  | { readonly type: 'unreadable' };

async function readRecord(store: ThreadStore, key: ThreadKey): Promise<string | undefined> {
  return (await store.read(key))?.decision;
}

/** Reads a stored decision in time. What is of a later version's making is as unreadable as what does not come. */
async function readDecision(read: () => Promise<string | undefined>, waitMs: number): Promise<Stored> {
  const late = Symbol('late');
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), waitMs);
  });
  try {
    const text = await Promise.race([read(), timeout]);
    if (text === late) return { type: 'unreadable' };
    if (text === undefined) return { type: 'read', decision: undefined };
    const decision = parseDecision(text);
    return decision === undefined ? { type: 'unreadable' } : { type: 'read', decision };
  } catch {
    return { type: 'unreadable' };
  } finally {
    clearTimeout(timer);
  }
}

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
