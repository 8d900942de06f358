import { createHash } from 'node:crypto';
import {
  chooseNamesPlace,
  decideDeferral,
  namesListText,
  type RuleInput,
  searchToolEntry,
  unitOf,
} from '@quartermaster/deferral';
import type { ToolEntry } from '@quartermaster/wire';
import { type Conversation, hasBoundThinking, hasSearchOfOurs } from './conversation/read.ts';
import { systemPromptOf } from './conversation/system-prompt.ts';
import type { History } from './history.ts';
import { textOf } from './latin1.ts';
import type { Plans } from './plans.ts';
import { rewriteMessages, toPlacedMessage } from './rewrite/anthropic.ts';
import { chooseTools } from './rewrite/choose.ts';
import { decideRemoval } from './rewrite/removal.ts';
import { declaredTools } from './rewrite/tools.ts';
import type { Decision, NothingReason, Removal } from './threads/decision.ts';
import { threadId } from './threads/thread-id.ts';

/** What a new thread's decision depends on beside its conversation; nothing is asked for while it is made. */
export interface Circumstances {
  readonly isBypassed: boolean;
  readonly isDeferralOn: boolean;
  readonly hasStore: boolean;
  /** What the account leaves out of new threads, and what it never defers. */
  readonly remove: readonly string[];
  readonly keep: readonly string[];
  /** What searches of this thread loaded that its client does not see (O4). */
  readonly loadedBefore: readonly string[];
  /** Whether the session's client opted out (SG1); `undefined`: not to be known now. */
  readonly isOptedOut: boolean | undefined;
  /** Whether deferral is off for the tenant and model after a proof (RF2). */
  readonly isTurnedOff: boolean;
  /** Answers the last verdict and starts a check where one is due; asked last, since it may cost a request. */
  readonly verdict: () => 'pass' | 'fail' | 'unknown';
}

/** The rule, with what it needs to know of a tenant's sessions. */
export interface Decider {
  /** Decides a new thread at its first request. */
  decide(conversation: Conversation, circumstances: Circumstances): Decision;
}

/** RU2 and RU3 look at so many sessions. */
const tenantSessions = 3;
const projectSessions = 10;

/** Decides from memory alone (O3). Keeps the weights of declarations that it has counted, up to a bound. */
export function createDecider(options: {
  readonly history: History;
  readonly countTokens: (text: string) => number;
  readonly plans: Plans;
  readonly holdoutShare: number;
}): Decider {
  const weigh = createScale(options.countTokens);

  function decideTools(
    conversation: Conversation,
    { keep, loadedBefore }: Pick<Circumstances, 'keep' | 'loadedBefore'>,
    removal: Removal | undefined,
  ): Decision {
    const { outline, text, client, transcript } = conversation;
    const tools = outline.tools?.items ?? [];
    const { removed } = chooseTools(outline, { ...(removal && { removal }) });
    const weighTool = (name: string): number => weighNamed(name, tools, text, weigh);
    const isRebuilt = isUnderWay(conversation, loadedBefore);
    const ruled = decideDeferral({
      tools: declaredTools(tools.filter((_, index) => !removed.has(index))),
      // O4: what our own search loaded was deferred, and so was not used before; the rule never saw it used.
      usedInThread: isRebuilt ? noTools : transcript.usedTools,
      ...sessionsOf(conversation, options.history),
      keep: [...keep, ...client.coreTools],
      forced: outline.toolChoice?.name,
      weigh: weighTool,
    });
    const found = isRebuilt ? [...transcript.foundBySearch, ...loadedBefore].map(unitOf) : [];
    const units = uniqueSorted([...options.plans.unitsFor(conversation, ruled.units), ...found]);
    const chosen = chooseTools(outline, { units, ...(removal && { removal }) });
    const deferred = [...chosen.deferred].flatMap((index) => tools[index]?.name ?? []);
    if (deferred.length === 0) return withoutDeferral(conversation, 'no-seldom-used-tool', removal);
    const decision: Decision = {
      type: 'defer',
      units,
      ...namesOf(conversation, deferred),
      searchTool: searchToolEntry,
      deferredTokensO200k: deferred.reduce((sum, name) => sum + weighTool(name), 0),
      reasons: Object.fromEntries(ruled.reasons),
      ...(isRebuilt && { isRebuilt }),
      ...(removal && { removal }),
    };
    // What can't be carried out at the first request would start to hold in mid-thread.
    const rewrite = rewriteMessages(text, outline, decision);
    if (rewrite.type === 'unchanged') return withoutDeferral(conversation, 'no-place-for-names', removal);
    if (!rewrite.keepsMarks) return withoutDeferral(conversation, 'no-place-for-mark', removal);
    // Last of all, so that both arms are threads that would be deferred (LE6).
    const isInArm = !isHeldOut(conversation, options.holdoutShare);
    return isInArm ? decision : withoutDeferral(conversation, 'holdout', removal);
  }

  function removalOf({ outline, text, transcript }: Conversation, listed: readonly string[]): Removal {
    const tools = outline.tools?.items ?? [];
    return decideRemoval({
      tools,
      listed,
      systemPrompt: systemPromptOf(outline, text),
      forced: outline.toolChoice?.name,
      usedInThread: transcript.usedTools,
      weigh: (name) => weighNamed(name, tools, text, weigh),
    });
  }

  return {
    decide(conversation, circumstances) {
      const { remove } = circumstances;
      const isRemoving = remove.length > 0;
      const againstRemoval = isRemoving ? findRemovalObstacle(conversation, circumstances) : undefined;
      const removal =
        isRemoving && againstRemoval === undefined ? removalOf(conversation, remove) : undefined;
      const obstacle = findObstacle(conversation, circumstances, options.history);
      if (obstacle === undefined) return decideTools(conversation, circumstances, removal);
      const reason = obstacle === 'deferral-off' ? (againstRemoval ?? obstacle) : obstacle;
      return withoutDeferral(conversation, reason, removal);
    },
  };
}

function namesOf(
  { outline, model }: Conversation,
  deferred: readonly string[],
): Pick<Extract<Decision, { type: 'defer' }>, 'namesList' | 'namesPlace'> {
  const messages = (outline.messages?.items ?? []).map(toPlacedMessage);
  const acceptsSystemMessages = model?.capabilities.systemMessages ?? false;
  return {
    namesList: namesListText(deferred),
    namesPlace: chooseNamesPlace({ acceptsSystemMessages, messages }),
  };
}

/** A thread that defers nothing may still leave something out; not where a cache mark would be lost by it (RW5). */
function withoutDeferral(
  { text, outline }: Conversation,
  reason: NothingReason,
  removal: Removal | undefined,
): Decision {
  if (removal === undefined) return nothing(reason);
  const decision: Decision = { type: 'remove', removal, reason };
  const rewrite = rewriteMessages(text, outline, decision);
  return rewrite.type === 'edits' && !rewrite.keepsMarks ? nothing('no-place-for-mark') : decision;
}

const noTools: ReadonlySet<string> = new Set();

function sessionsOf(
  { tenant, session, project }: Conversation,
  history: History,
): Pick<RuleInput, 'tenantSessions' | 'projectSessions'> {
  return {
    tenantSessions: history.newest(tenant, session, tenantSessions),
    projectSessions: history.newestOfProject(tenant, project, session, projectSessions),
  };
}

function uniqueSorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

/**
 * What stands in the way of any removal. Where nothing is deferred, conversations of clients that are not recognised have
 * no record unless their account lists something: one that is under way may be older than the list, and O7 leaves it
 * alone.
 */
function findRemovalObstacle(
  conversation: Conversation,
  { isBypassed, hasStore }: Circumstances,
): NothingReason | undefined {
  if (isBypassed) return 'bypass';
  if (!hasStore) return 'no-store';
  const { client, transcript } = conversation;
  const mayBeOlder = !client.echoesSearch && transcript.hasAssistantTurns;
  return mayBeOlder || hasBoundThinking(conversation) ? 'older-conversation' : undefined;
}

/** What stands in the way of any deferral in the thread, the cheapest questions first. */
function findObstacle(
  conversation: Conversation,
  circumstances: Circumstances,
  history: History,
): NothingReason | undefined {
  const { model, tenant } = conversation;
  if (circumstances.isBypassed) return 'bypass';
  if (!circumstances.isDeferralOn) return 'deferral-off';
  if (!circumstances.hasStore) return 'no-store';
  // A thread that our own search shows to be deferred is live: no wish flips it (O4, O7).
  if (circumstances.isOptedOut !== false && !isUnderWay(conversation, circumstances.loadedBefore)) {
    return circumstances.isOptedOut === true ? 'opted-out' : 'opt-out-unreadable';
  }
  if (model === undefined) return 'model-unknown';
  if (!model.capabilities.toolSearch) return 'model-without-tool-search';
  if (hasBoundThinking(conversation)) return 'older-conversation';
  if (circumstances.isTurnedOff) return 'turned-off';
  if (!history.isLoaded(tenant)) return 'history-not-loaded';
  const verdict = circumstances.verdict();
  if (verdict === 'unknown') return 'unchecked';
  return verdict === 'fail' ? 'check-failed' : undefined;
}

/** Whether our own search shows that the thread is deferred, to its client or in our record alone (O4). */
function isUnderWay(conversation: Conversation, loadedBefore: readonly string[]): boolean {
  return hasSearchOfOurs(conversation) || loadedBefore.length > 0;
}

/** LE6: by the hash of the thread's key, so that the same thread is always in the same arm. */
function isHeldOut(conversation: Conversation, share: number): boolean {
  const digest = createHash('sha256').update(threadId(conversation)).digest();
  return digest.readUInt32BE(0) / 2 ** 32 < share;
}

function nothing(reason: NothingReason): Decision {
  return { type: 'nothing', reason };
}

function weighNamed(
  name: string,
  tools: readonly ToolEntry[],
  text: string,
  weigh: (latin1: string) => number,
): number {
  const entry = tools.find((tool) => tool.name === name);
  return entry === undefined ? 0 : weigh(text.slice(entry.span.start, entry.span.end));
}

const maxWeights = 4_096;

/** Weighs declarations by their own bytes; each text once, since clients send the same ones in every session. */
function createScale(countTokens: (text: string) => number): (latin1: string) => number {
  const weights = new Map<string, number>();
  return (latin1) => {
    const digest = createHash('sha256').update(latin1, 'latin1').digest('base64');
    const known = weights.get(digest);
    if (known !== undefined) return known;
    const weight = countTokens(textOf(latin1));
    if (weights.size >= maxWeights) weights.clear();
    weights.set(digest, weight);
    return weight;
  };
}
