import type { Catalog, Model } from '@quartermaster/catalog';
import type { NamesPlace } from '@quartermaster/deferral';
import { applyEdits } from '@quartermaster/wire';
import { checkKeyOf, type Checks } from './check/checks.ts';
import type { UnknownModels } from './check/unknown-models.ts';
import type { Client } from './clients/table.ts';
import { openingOf } from './conversation/opening.ts';
import {
  type Conversation,
  hasBoundThinking,
  type MessagesRequest,
  readConversation,
} from './conversation/read.ts';
import { type Counters, increment } from './counters.ts';
import type { Decider } from './decide.ts';
import type { History } from './history.ts';
import type { Upstream } from './http/upstream.ts';
import type { Deferral } from './ledger/layout.ts';
import type { Ledger, LedgerEntry } from './ledger/ledger.ts';
import type { LedgerRequest } from './ledger/ledger-request.ts';
import { createProjector } from './ledger/projector.ts';
import type { Log, Preset } from './options.ts';
import type { Plans } from './plans.ts';
import type { TurnOffs } from './refusal/turn-offs.ts';
import { rewriteMessages } from './rewrite/anthropic.ts';
import type { OptOuts } from './signals/opt-outs.ts';
import type { Decision } from './threads/decision.ts';
import type { Persistence, ThreadAnswer } from './threads/question.ts';
import type { Threads } from './threads/threads.ts';

/**
 * What goes upstream: the very bytes that came, an edited body (plain), or nothing yet. A conversation is named
 * wherever the request could be read as one.
 */
export type MessagesPlan =
  | {
      readonly type: 'unchanged';
      readonly reason: string;
      readonly conversation?: Conversation;
      readonly entry?: LedgerEntry;
    }
  | {
      readonly type: 'edited';
      readonly body: Buffer;
      readonly conversation: Conversation;
      readonly decision: Extract<Decision, { type: 'defer' }>;
      readonly entry: LedgerEntry;
    }
  /** As it came; where its thinking blocks turn out to fit another prefix, without them (O3). */
  | { readonly type: 'unreadable'; readonly conversation: Conversation; readonly entry: LedgerEntry }
  /** Without the thinking blocks that fit the prefix which the thread has lost (RF4). */
  | { readonly type: 'prefix-lost'; readonly conversation: Conversation; readonly entry: LedgerEntry }
  | { readonly type: 'wait' };

export interface MessagesPlannerOptions {
  readonly preset: Exclude<Preset, 'off'>;
  readonly defer: 'auto' | 'off';
  readonly hasStore: boolean;
  /** Salts the hashes of working directories. */
  readonly salt: string;
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  readonly checks: Checks;
  readonly counters: Counters;
  readonly decider: Decider;
  readonly history: History;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly optOuts: OptOuts;
  /** How long the store may take to tell of an opt-out. */
  readonly readMs: number;
  readonly plans: Plans;
  readonly threads: Threads;
  readonly turnOffs: TurnOffs;
  readonly unknownModels: UnknownModels;
}

/** Plans Messages requests. Any doubt or fault ends as `unchanged` with a counted reason (law 7). */
export interface MessagesPlanner {
  plan(request: MessagesRequest): Promise<MessagesPlan>;
}

export function createMessagesPlanner(options: MessagesPlannerOptions): MessagesPlanner {
  const { counters, history, ledger, optOuts, plans, threads, turnOffs } = options;
  const withEntry = createBooking(options);
  const isDeferralOn = options.preset === 'ultrahigh' && options.defer === 'auto';

  async function planSafely(request: MessagesRequest): Promise<MessagesPlan> {
    const read = await readConversation(request, options);
    if (read.type === 'refused') return { type: 'unchanged', reason: read.reason };
    const { conversation } = read;
    const newlyUsed = history.record({
      ...conversation,
      declared: declaredNames(conversation),
      used: conversation.transcript.usedTools,
    });
    plans.takeOut(conversation.tenant, newlyUsed);
    optOuts.see(conversation.tenant, conversation.session);
    if (isDeferralOn && conversation.model === undefined) options.unknownModels.tell(conversation.modelId);
    const answer = await askThread(request, conversation);
    countAnswer(answer, conversation, isBypass(request));
    const decision = answer.type === 'decided' ? answer.decision : undefined;
    return withEntry(carryOut(answer, conversation), { conversation, decision });
  }

  function askThread(request: MessagesRequest, conversation: Conversation): Promise<ThreadAnswer> {
    const { tenant, session, agent, client, outline, text } = conversation;
    return threads.decisionFor({
      key: { tenant, session, agent },
      persistence: persistenceFor(options.preset, client),
      hasAssistantTurns: conversation.transcript.hasAssistantTurns,
      hasBoundThinking: hasBoundThinking(conversation),
      opening: () => openingOf(outline, text),
      decide: () => decide(request, conversation),
    });
  }

  async function decide(request: MessagesRequest, conversation: Conversation): Promise<Decision> {
    const { tenant, session, modelId } = conversation;
    const { upstream, hasStore, readMs } = options;
    const { headers, path } = request;
    return options.decider.decide(conversation, {
      isBypassed: isBypass(request),
      isDeferralOn,
      hasStore,
      isOptedOut: isDeferralOn && hasStore ? await optOuts.has(tenant, session, readMs) : false,
      isTurnedOff: turnOffs.isOn(tenant, modelId),
      verdict: () => {
        const key = checkKeyOf(upstream.name, modelId, path);
        return options.checks.verdict(key, { upstream, headers, path }, turnOffs.endedAtMs(tenant, modelId));
      },
    });
  }

  function countAnswer(
    answer: ThreadAnswer,
    { tenant, transcript }: Conversation,
    isBypassed: boolean,
  ): void {
    if (answer.type !== 'decided') {
      counters.recordUnreadable += 1;
      if (answer.type === 'unreadable' && transcript.hasAssistantTurns) {
        counters.flips += 1;
        ledger.count(tenant, 'flips');
      }
      return;
    }
    if (isBypassed) {
      counters.bypasses += 1;
      ledger.count(tenant, 'bypasses');
    }
    if (!answer.isNew) return;
    ledger.decided(tenant, answer.decision);
    counters.threadsDecided += 1;
    if (answer.decision.type === 'nothing') {
      increment(counters.nothingReasons, answer.decision.reason);
    } else {
      counters.unitsDeferred += answer.decision.units.length;
      counters.tokensDeferredO200k += answer.decision.deferredTokensO200k;
      if (answer.decision.isRebuilt === true) counters.rebuilds += 1;
    }
  }

  return {
    async plan(request) {
      try {
        const plan = await planSafely(request);
        if (plan.type === 'unchanged') increment(counters.unchangedReasons, plan.reason);
        if (plan.type === 'unreadable') increment(counters.unchangedReasons, 'record-unreadable');
        if (plan.type === 'edited') counters.rewritten += 1;
        return plan;
      } catch (error) {
        increment(counters.unchangedReasons, 'fault');
        const facts = { error: error instanceof Error ? error.name : typeof error };
        options.log.error(facts, 'a request could not be planned and goes upstream as it came');
        return { type: 'unchanged', reason: 'fault' };
      }
    },
  };
}

/** Opens the ledger's entry for whatever goes upstream; in `observe` with what would have been done to it. */
function createBooking(
  options: Pick<MessagesPlannerOptions, 'decider' | 'ledger' | 'preset'>,
): (carried: Carried, about: Pick<LedgerRequest, 'conversation' | 'decision'>) => MessagesPlan {
  const { ledger } = options;
  const projector = createProjector(options);
  const isProjection = options.preset === 'observe';
  return (carried, about) => {
    if (carried.type === 'wait') return carried;
    if (carried.type === 'edited') {
      const { deferral, ...plan } = carried;
      return { ...plan, entry: ledger.open({ ...about, deferral, isProjection: false }) };
    }
    const deferral = isProjection ? projector.project(about.conversation) : undefined;
    return { ...carried, entry: ledger.open({ ...about, deferral, isProjection }) };
  };
}

/** A plan before the ledger has its entry; what was edited tells how. */
type Carried =
  | Extract<MessagesPlan, { type: 'unchanged' | 'wait' }>
  | Omit<Extract<MessagesPlan, { type: 'unreadable' }>, 'entry'>
  | Omit<Extract<MessagesPlan, { type: 'prefix-lost' }>, 'entry'>
  | (Omit<Extract<MessagesPlan, { type: 'edited' }>, 'entry'> & { readonly deferral: Deferral });

/** What a thread's answer means for this request. */
function carryOut(answer: ThreadAnswer, conversation: Conversation): Carried {
  if (answer.type === 'wait') return { type: 'wait' };
  if (answer.type === 'unreadable') return { type: 'unreadable', conversation };
  const { decision } = answer;
  if (decision.type === 'nothing') {
    if (decision.hasLostPrefix === true && hasBoundThinking(conversation)) {
      return { type: 'prefix-lost', conversation };
    }
    return { type: 'unchanged', reason: decision.reason, conversation };
  }
  if (!canTake(conversation.model, decision.namesPlace)) {
    return { type: 'unchanged', reason: 'other-model', conversation };
  }
  const { text, outline } = conversation;
  const rewrite = rewriteMessages(text, outline, decision);
  if (rewrite.type === 'unchanged') return { type: 'unchanged', reason: rewrite.reason, conversation };
  const body = Buffer.from(applyEdits(text, rewrite.edits), 'latin1');
  return { type: 'edited', body, conversation, decision, deferral: { decision, shape: rewrite.shape } };
}

function declaredNames({ outline }: Conversation): string[] {
  return (outline.tools?.items ?? []).flatMap(({ name }) => name ?? []);
}

/** PR5. */
function isBypass({ headers }: MessagesRequest): boolean {
  return headers['x-quartermaster-bypass'] === 'true';
}

/** Only `ultrahigh` keeps thread records; another preset honours those that live threads have (O7). */
function persistenceFor(preset: 'observe' | 'ultrahigh', client: Client): Persistence {
  if (!client.echoesSearch) return 'memory';
  return preset === 'ultrahigh' ? 'claim' : 'read';
}

/** O7: a thread's request to a model that can't carry the decision out is another cache, and goes as it came. */
function canTake(model: Model | undefined, place: NamesPlace): boolean {
  if (model?.capabilities.toolSearch !== true) return false;
  return place === 'top-level-system' || model.capabilities.systemMessages;
}
