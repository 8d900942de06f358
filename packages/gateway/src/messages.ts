import type { Catalog, Model } from '@quartermaster/catalog';
import type { NamesPlace } from '@quartermaster/deferral';
import { applyEdits } from '@quartermaster/wire';
import type { Accounts } from './account/accounts.ts';
import { isDeferring } from './account/settings.ts';
import { type AskThreadOptions, createAskThread, isBypass } from './ask-thread.ts';
import { type Carried, createBooking } from './booking.ts';
import type { UnknownModels } from './check/unknown-models.ts';
import {
  type Conversation,
  hasBoundThinking,
  type MessagesRequest,
  readConversation,
  readOutline,
} from './conversation/read.ts';
import type { Outliner } from './conversation/outliner.ts';
import type { NameProject } from './conversation/project.ts';
import { type Counters, increment } from './counters.ts';
import type { Decider } from './decide.ts';
import { nameOf } from './errors.ts';
import type { History } from './history.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Log } from './options.ts';
import type { MessagesPlan } from './plan.ts';
import type { Plans } from './plans.ts';
import { rewriteMessages } from './rewrite/anthropic.ts';
import type { FoundAdditions } from './search/additions.ts';
import type { Decision } from './threads/decision.ts';
import type { ThreadAnswer } from './threads/question.ts';

/** What requests are planned with. */
export interface MessagesPlannerOptions extends AskThreadOptions {
  readonly accounts: Accounts;
  readonly nameProject: NameProject;
  readonly catalog: Catalog;
  readonly counters: Counters;
  /** For what `observe` projects: the same rule over plans of its own. */
  readonly projectingDecider: Decider;
  readonly projectedPlans: Plans;
  readonly history: History;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly outliner: Outliner;
  readonly plans: Plans;
  readonly unknownModels: UnknownModels;
}

/** Plans Messages requests. Any doubt or fault ends as `unchanged` with a counted reason (law 7). */
export interface MessagesPlanner {
  /** Whether a tenant's requests have to be read: in `off` only where threads with a record may live on (O7). */
  isReading(tenant: string): boolean;
  plan(request: MessagesRequest): Promise<MessagesPlan>;
  /** The same for a request to count tokens: as it came, unless its transcript needs a declaration back (Q3, Q5). */
  planCount(request: MessagesRequest): Promise<MessagesPlan>;
}

/** Keeps nothing of a request; what is to be remembered goes to the parts given. */
export function createMessagesPlanner(options: MessagesPlannerOptions): MessagesPlanner {
  const { accounts, counters, history, optOuts, plans, presence, search, threads } = options;
  const withEntry = createBooking(options);
  const askThread = createAskThread(options);

  async function planSafely(request: MessagesRequest): Promise<MessagesPlan> {
    const read = await readConversation(request, options);
    if (read.type === 'refused') return { type: 'unchanged', reason: read.reason };
    if (read.type === 'aside') return planAside(request.tenant, read);
    const { conversation } = read;
    // One look for the whole request: what is decided and how it is kept must not differ (law 4).
    const settings = accounts.settingsOf(request.tenant);
    if (settings.preset !== 'off') recordTools(conversation);
    if (isDeferring(settings) && conversation.model === undefined) {
      options.unknownModels.tell(conversation.modelId);
    }
    const decided = await askThread(request, conversation, settings);
    const { answer, additions } = await recall(decided, conversation);
    countAnswer(answer, conversation, { ...options, isBypassed: isBypass(request) });
    if (settings.preset !== 'off' && additions !== undefined && additions.loaded.length > 0) {
      recordTools(conversation, additions.loaded);
    }
    const decision = answer.type === 'decided' ? answer.decision : undefined;
    const carried = await resolve(carryOut(answer, conversation, additions));
    return withEntry(carried, { conversation, decision }, settings);
  }

  /** Q3, Q5: what is no conversation goes as it came, unless its transcript names tools that it does not declare. */
  async function planAside(
    tenant: string,
    request: Pick<Conversation, 'text' | 'outline'>,
  ): Promise<MessagesPlan> {
    const body = await search.resolve(tenant, request);
    return body === undefined ? { type: 'unchanged', reason: 'no-client-tools' } : { type: 'resolved', body };
  }

  /** What the thread's searches have left for this request; where the store can't tell, its record is as good as unreadable. */
  async function recall(
    answer: ThreadAnswer,
    conversation: Conversation,
  ): Promise<{ readonly answer: ThreadAnswer; readonly additions?: FoundAdditions }> {
    if (answer.type !== 'decided' || answer.decision.type !== 'defer') return { answer };
    const additions = await search.additionsFor(conversation);
    if (additions !== undefined) return { answer, additions };
    const { tenant, session, agent, transcript } = conversation;
    const facts = { ...transcript, hasBoundThinking: hasBoundThinking(conversation) };
    return { answer: threads.answerUnreadable({ tenant, session, agent }, facts) };
  }

  async function resolve(carried: Carried): Promise<Carried> {
    if (carried.type !== 'unchanged' || carried.conversation === undefined) return carried;
    const { conversation } = carried;
    const body = await search.resolve(conversation.tenant, conversation);
    return body === undefined ? carried : { type: 'resolved', body, conversation };
  }

  function recordTools(
    conversation: Conversation,
    used: Iterable<string> = conversation.transcript.usedTools,
  ): void {
    const declared = declaredNames(conversation);
    const newlyUsed = history.record({ ...conversation, declared, used });
    plans.takeOut(conversation.tenant, newlyUsed);
    options.projectedPlans.takeOut(conversation.tenant, newlyUsed);
    optOuts.see(conversation.tenant, conversation.session);
  }

  return {
    isReading: (tenant) => accounts.settingsOf(tenant).preset !== 'off' || presence.mayHaveRecords(tenant),
    async plan(request) {
      const plan = await orAsItCame(planSafely(request));
      if (plan.type === 'unchanged') increment(counters.unchangedReasons, plan.reason);
      if (plan.type === 'unreadable') increment(counters.unchangedReasons, 'record-unreadable');
      if (plan.type === 'prefix-lost') increment(counters.unchangedReasons, 'prefix-lost');
      if (plan.type === 'edited' || plan.type === 'resolved') counters.rewritten += 1;
      return plan;
    },
    planCount: (request) => orAsItCame(planCount(request)),
  };

  async function planCount(request: MessagesRequest): Promise<MessagesPlan> {
    const read = await readOutline(request, options);
    if (read.type === 'refused') return { type: 'unchanged', reason: read.reason };
    return planAside(request.tenant, read);
  }

  async function orAsItCame(planning: Promise<MessagesPlan>): Promise<MessagesPlan> {
    try {
      return await planning;
    } catch (error) {
      const facts = { error: nameOf(error) };
      options.log.error(facts, 'a request could not be planned and goes upstream as it came');
      return { type: 'unchanged', reason: 'fault' };
    }
  }
}

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
function carryOut(
  answer: ThreadAnswer,
  conversation: Conversation,
  additions: FoundAdditions | undefined,
): Carried {
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
  const rewrite = rewriteMessages(text, outline, decision, additions);
  if (rewrite.type === 'unchanged') return { type: 'unchanged', reason: rewrite.reason, conversation };
  const body = Buffer.from(applyEdits(text, rewrite.edits), 'latin1');
  const { shape } = rewrite;
  const plan = { type: 'edited', body, conversation, decision, shape } as const;
  if (shape.deferral === undefined || additions === undefined) return plan;
  // Who declares a search tool itself has asked for what it finds.
  const strips = !conversation.client.echoesSearch && shape.deferral.hasSearchEntry;
  return { ...plan, answer: { strips, asked: { text, outline, chain: additions.chain } } };
}

function declaredNames({ outline }: Conversation): string[] {
  return (outline.tools?.items ?? []).flatMap(({ name }) => name ?? []);
}

/** O7: a thread's request to a model that can't carry the decision out is another cache, and goes as it came. */
function canTake(model: Model | undefined, place: NamesPlace): boolean {
  if (model?.capabilities.toolSearch !== true) return false;
  return place === 'top-level-system' || model.capabilities.systemMessages;
}
