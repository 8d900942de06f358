import type { Catalog, Model } from '@quartermaster/catalog';
import type { NamesPlace } from '@quartermaster/deferral';
import { applyEdits } from '@quartermaster/wire';
import { nameOf } from './errors.ts';
import type { Accounts } from './account/accounts.ts';
import { type AccountSettings, isDeferring, isEditing, removalList } from './account/settings.ts';
import { checkKeyOf, type Checks } from './check/checks.ts';
import type { UnknownModels } from './check/unknown-models.ts';
import type { Client } from './clients/table.ts';
import { firstAnswerOf, openingOf } from './conversation/opening.ts';
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
import type { Ledger, LedgerEntry } from './ledger/ledger.ts';
import type { LedgerRequest } from './ledger/ledger-request.ts';
import { createProjector } from './ledger/projector.ts';
import type { Log } from './options.ts';
import type { Plans } from './plans.ts';
import type { TurnOffs } from './refusal/turn-offs.ts';
import { rewriteMessages, type RewriteShape } from './rewrite/anthropic.ts';
import type { OptOuts } from './signals/opt-outs.ts';
import type { Decision, EditDecision } from './threads/decision.ts';
import type { RecordPresence } from './threads/presence.ts';
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
      readonly decision: EditDecision;
      readonly entry: LedgerEntry;
    }
  /** As it came; where its thinking blocks turn out to fit another prefix, without them (O3). */
  | { readonly type: 'unreadable'; readonly conversation: Conversation; readonly entry: LedgerEntry }
  /** Without the thinking blocks that fit the prefix which the thread has lost (RF4). */
  | { readonly type: 'prefix-lost'; readonly conversation: Conversation; readonly entry: LedgerEntry }
  | { readonly type: 'wait' };

export interface MessagesPlannerOptions {
  readonly accounts: Accounts;
  readonly presence: RecordPresence;
  readonly hasStore: boolean;
  /** Salts the hashes of working directories. */
  readonly salt: string;
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  readonly checks: Checks;
  readonly counters: Counters;
  readonly decider: Decider;
  /** For what `observe` projects: the same rule over plans of its own. */
  readonly projectingDecider: Decider;
  readonly projectedPlans: Plans;
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
  /** Whether a tenant's requests have to be read: in `off` only where threads with a record may live on (O7). */
  isReading(tenant: string): boolean;
  plan(request: MessagesRequest): Promise<MessagesPlan>;
}

export function createMessagesPlanner(options: MessagesPlannerOptions): MessagesPlanner {
  const { accounts, counters, history, optOuts, plans, presence, threads, turnOffs } = options;
  const withEntry = createBooking(options);

  async function planSafely(request: MessagesRequest): Promise<MessagesPlan> {
    const read = await readConversation(request, options);
    if (read.type === 'refused') return { type: 'unchanged', reason: read.reason };
    const { conversation } = read;
    // One look for the whole request: what is decided and how it is kept must not differ (law 4).
    const settings = accounts.settingsOf(request.tenant);
    if (settings.preset !== 'off') recordTools(conversation);
    if (isDeferring(settings) && conversation.model === undefined) {
      options.unknownModels.tell(conversation.modelId);
    }
    const answer = await askThread(request, conversation, settings);
    countAnswer(answer, conversation, { ...options, isBypassed: isBypass(request) });
    const decision = answer.type === 'decided' ? answer.decision : undefined;
    return withEntry(carryOut(answer, conversation), { conversation, decision }, settings);
  }

  function recordTools(conversation: Conversation): void {
    const newlyUsed = history.record({
      ...conversation,
      declared: declaredNames(conversation),
      used: conversation.transcript.usedTools,
    });
    plans.takeOut(conversation.tenant, newlyUsed);
    options.projectedPlans.takeOut(conversation.tenant, newlyUsed);
    optOuts.see(conversation.tenant, conversation.session);
  }

  function askThread(
    request: MessagesRequest,
    conversation: Conversation,
    settings: AccountSettings,
  ): Promise<ThreadAnswer> {
    const { tenant, session, agent, client, outline, text } = conversation;
    const persistence = persistenceFor(settings, client, presence.mayHaveRecords(tenant));
    if (persistence === 'claim') presence.note(tenant);
    return threads.decisionFor({
      key: { tenant, session, agent },
      persistence,
      endedAtMs: settings.endedAtMs,
      bodyBytes: text.length,
      hasAssistantTurns: conversation.transcript.hasAssistantTurns,
      hasBoundThinking: hasBoundThinking(conversation),
      opening: () => openingOf(outline, text),
      firstAnswer: firstAnswerOf(outline, text),
      decide: () => decide(request, conversation, settings),
    });
  }

  async function decide(
    request: MessagesRequest,
    conversation: Conversation,
    settings: AccountSettings,
  ): Promise<Decision> {
    const { tenant, session, modelId } = conversation;
    const { upstream, hasStore, readMs } = options;
    const isDeferralOn = isDeferring(settings);
    const { headers, path } = request;
    return options.decider.decide(conversation, {
      isBypassed: isBypass(request),
      isDeferralOn,
      hasStore,
      isOptedOut: isDeferralOn && hasStore ? await optOuts.has(tenant, session, readMs) : false,
      isTurnedOff: turnOffs.isOn(tenant, modelId),
      remove: removalList(settings),
      keep: settings.toolfilter.keep,
      verdict: () => {
        const key = checkKeyOf(upstream.name, modelId, path);
        return options.checks.verdict(key, { upstream, headers, path }, turnOffs.endedAtMs(tenant, modelId));
      },
    });
  }

  return {
    isReading: (tenant) => accounts.settingsOf(tenant).preset !== 'off' || presence.mayHaveRecords(tenant),
    async plan(request) {
      try {
        const plan = await planSafely(request);
        if (plan.type === 'unchanged') increment(counters.unchangedReasons, plan.reason);
        if (plan.type === 'unreadable') increment(counters.unchangedReasons, 'record-unreadable');
        if (plan.type === 'prefix-lost') increment(counters.unchangedReasons, 'prefix-lost');
        if (plan.type === 'edited') counters.rewritten += 1;
        return plan;
      } catch (error) {
        increment(counters.unchangedReasons, 'fault');
        const facts = { error: nameOf(error) };
        options.log.error(facts, 'a request could not be planned and goes upstream as it came');
        return { type: 'unchanged', reason: 'fault' };
      }
    },
  };
}

/** Opens the ledger's entry for whatever goes upstream; in `observe` with what would have been done to it. */
function createBooking(
  options: Pick<MessagesPlannerOptions, 'projectingDecider' | 'ledger'>,
): (
  carried: Carried,
  about: Pick<LedgerRequest, 'conversation' | 'decision'>,
  settings: AccountSettings,
) => MessagesPlan {
  const { ledger } = options;
  const projector = createProjector({ decider: options.projectingDecider, ledger });
  return (carried, about, { preset, toolfilter }) => {
    if (carried.type === 'wait') return carried;
    if (carried.type === 'edited') {
      const { shape, ...plan } = carried;
      const { decision } = plan;
      const deferral =
        decision.type === 'defer' && shape.deferral !== undefined
          ? { decision, shape: shape.deferral }
          : undefined;
      const { removal } = shape;
      return { ...plan, entry: ledger.open({ ...about, deferral, removal, isProjection: false }) };
    }
    // `off` keeps counters only.
    if (carried.type === 'unchanged' && preset === 'off') return carried;
    const isProjection = preset === 'observe';
    const deferral = isProjection ? projector.project(about.conversation, toolfilter.keep) : undefined;
    return { ...carried, entry: ledger.open({ ...about, deferral, isProjection }) };
  };
}

/** A plan before the ledger has its entry; what was edited tells how. */
type Carried =
  | Extract<MessagesPlan, { type: 'unchanged' | 'wait' }>
  | Omit<Extract<MessagesPlan, { type: 'unreadable' }>, 'entry'>
  | Omit<Extract<MessagesPlan, { type: 'prefix-lost' }>, 'entry'>
  | (Omit<Extract<MessagesPlan, { type: 'edited' }>, 'entry'> & { readonly shape: RewriteShape });

function countAnswer(
  answer: ThreadAnswer,
  { tenant, transcript }: Conversation,
  { counters, ledger, isBypassed }: Counted & { readonly isBypassed: boolean },
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
  countDecision(answer.decision, counters);
}

type Counted = Pick<MessagesPlannerOptions, 'counters' | 'ledger'>;

function countDecision(decision: Decision, counters: Counters): void {
  if (decision.type === 'defer') {
    counters.unitsDeferred += decision.units.length;
    counters.tokensDeferredO200k += decision.deferredTokensO200k;
    if (decision.isRebuilt === true) counters.rebuilds += 1;
  } else {
    increment(counters.nothingReasons, decision.reason);
  }
  const removal = decision.type === 'nothing' ? undefined : decision.removal;
  if (removal === undefined || removal.tools.length === 0) return;
  counters.threadsWithRemoval += 1;
  counters.toolsRemoved += removal.tools.length;
  counters.tokensRemovedO200k += removal.tokensO200k;
}

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
  if (decision.type === 'defer' && !canTake(conversation.model, decision.namesPlace)) {
    return { type: 'unchanged', reason: 'other-model', conversation };
  }
  const { text, outline } = conversation;
  const rewrite = rewriteMessages(text, outline, decision);
  if (rewrite.type === 'unchanged') return { type: 'unchanged', reason: rewrite.reason, conversation };
  const body = Buffer.from(applyEdits(text, rewrite.edits), 'latin1');
  return { type: 'edited', body, conversation, decision, shape: rewrite.shape };
}

function declaredNames({ outline }: Conversation): string[] {
  return (outline.tools?.items ?? []).flatMap(({ name }) => name ?? []);
}

/** PR5. */
function isBypass({ headers }: MessagesRequest): boolean {
  return headers['x-quartermaster-bypass'] === 'true';
}

/**
 * Presets that edit keep thread records; the others honour those that live threads have (O7). Of clients that never see
 * a search only a removal can be recorded: so there is nothing to keep while their account lists nothing.
 */
function persistenceFor(settings: AccountSettings, client: Client, mayHaveRecords: boolean): Persistence {
  const isRecorded = client.echoesSearch || removalList(settings).length > 0;
  if (isEditing(settings.preset) && isRecorded) return 'claim';
  return client.echoesSearch || mayHaveRecords ? 'read' : 'memory';
}

/** O7: a thread's request to a model that can't carry the decision out is another cache, and goes as it came. */
function canTake(model: Model | undefined, place: NamesPlace): boolean {
  if (model?.capabilities.toolSearch !== true) return false;
  return place === 'top-level-system' || model.capabilities.systemMessages;
}
