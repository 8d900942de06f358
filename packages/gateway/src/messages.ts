import type { Catalog, Model } from '@quartermaster/catalog';
import type { NamesPlace } from '@quartermaster/deferral';
import { applyEdits } from '@quartermaster/wire';
import type { Checks } from './check/checks.ts';
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
import type { Log, Preset } from './options.ts';
import type { Plans } from './plans.ts';
import { rewriteMessages } from './rewrite/anthropic.ts';
import type { Decision } from './threads/decision.ts';
import type { Persistence, ThreadAnswer, Threads } from './threads/threads.ts';

/**
 * What goes upstream: the very bytes that came, an edited body (plain), or nothing yet. A conversation is named
 * wherever the request could be read as one.
 */
export type MessagesPlan =
  | { readonly type: 'unchanged'; readonly reason: string; readonly conversation?: Conversation }
  | {
      readonly type: 'edited';
      readonly body: Buffer;
      readonly conversation: Conversation;
      readonly decision: Extract<Decision, { type: 'defer' }>;
    }
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
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly plans: Plans;
  readonly threads: Threads;
}

/** Plans Messages requests. Any doubt or fault ends as `unchanged` with a counted reason (law 7). */
export interface MessagesPlanner {
  plan(request: MessagesRequest): Promise<MessagesPlan>;
}

export function createMessagesPlanner(options: MessagesPlannerOptions): MessagesPlanner {
  const { counters, history, plans, threads } = options;

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
    const answer = await askThread(request, conversation);
    countAnswer(answer, conversation, isBypass(request));
    return carryOut(answer, conversation);
  }

  function askThread(request: MessagesRequest, conversation: Conversation): Promise<ThreadAnswer> {
    const { tenant, session, agent, client, modelId, outline, text } = conversation;
    const { upstream } = options;
    return threads.decisionFor({
      key: { tenant, session, agent },
      persistence: persistenceFor(options.preset, client),
      hasAssistantTurns: conversation.transcript.hasAssistantTurns,
      hasBoundThinking: hasBoundThinking(conversation),
      opening: () => openingOf(outline, text),
      firstAnswer: firstAnswerOf(outline, text),
      decide: () =>
        options.decider.decide(conversation, {
          isBypassed: isBypass(request),
          isDeferralOn: options.preset === 'ultrahigh' && options.defer === 'auto',
          hasStore: options.hasStore,
          verdict: () => {
            const route = request.path.split('?', 1)[0] ?? request.path;
            const caller = { upstream, headers: request.headers, path: request.path };
            return options.checks.verdict({ upstream: upstream.name, model: modelId, route }, caller);
          },
        }),
    });
  }

  function countAnswer(answer: ThreadAnswer, { transcript }: Conversation, isBypassed: boolean): void {
    if (answer.type !== 'decided') {
      counters.recordUnreadable += 1;
      if (answer.type === 'unreadable' && transcript.hasAssistantTurns) counters.flips += 1;
      return;
    }
    if (isBypassed) counters.bypasses += 1;
    if (!answer.isNew) return;
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

/** What a thread's answer means for this request. */
function carryOut(answer: ThreadAnswer, conversation: Conversation): MessagesPlan {
  if (answer.type === 'wait') return { type: 'wait' };
  if (answer.type === 'unreadable') return { type: 'unchanged', reason: 'record-unreadable', conversation };
  const { decision } = answer;
  if (decision.type === 'nothing') return { type: 'unchanged', reason: decision.reason, conversation };
  if (!canTake(conversation.model, decision.namesPlace)) {
    return { type: 'unchanged', reason: 'other-model', conversation };
  }
  const { text, outline } = conversation;
  const rewrite = rewriteMessages(text, outline, decision);
  if (rewrite.type === 'unchanged') return { ...rewrite, conversation };
  const body = Buffer.from(applyEdits(text, rewrite.edits), 'latin1');
  return { type: 'edited', body, conversation, decision };
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
