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
import type { History } from './history.ts';
import { textOf } from './latin1.ts';
import type { Plans } from './plans.ts';
import { rewriteMessages, toPlacedMessage } from './rewrite/anthropic.ts';
import { declaredTools, deferredIndexes } from './rewrite/tools.ts';
import type { Decision, NothingReason } from './threads/decision.ts';

/** What a new thread's decision depends on beside its conversation; nothing is asked for while it is made. */
export interface Circumstances {
  readonly isBypassed: boolean;
  readonly isDeferralOn: boolean;
  readonly hasStore: boolean;
  /** Whether the session's client opted out (SG1); `undefined`: not to be known now. */
  readonly isOptedOut: boolean | undefined;
  /** Whether deferral is off for the tenant and model after a proof (RF2). */
  readonly isTurnedOff: boolean;
  /** Answers the last verdict and starts a check where one is due; asked last, since it may cost a request. */
  readonly verdict: () => 'pass' | 'fail' | 'unknown';
}

export interface Decider {
  /** Decides a new thread at its first request. */
  decide(conversation: Conversation, circumstances: Circumstances): Decision;
}

/** RU2 and RU3 look at so many sessions. */
const tenantSessions = 3;
const projectSessions = 10;

export function createDecider(options: {
  readonly history: History;
  readonly countTokens: (text: string) => number;
  readonly plans: Plans;
  readonly keep: readonly string[];
  readonly holdoutShare: number;
}): Decider {
  const weigh = createScale(options.countTokens);

  function decideTools(conversation: Conversation): Decision {
    const { outline, text, client, model, transcript } = conversation;
    const tools = outline.tools?.items ?? [];
    const forced = outline.toolChoice?.name;
    const weighTool = (name: string): number => weighNamed(name, tools, text, weigh);
    const isRebuilt = hasSearchOfOurs(conversation);
    const ruled = decideDeferral({
      tools: declaredTools(tools),
      // O4: what our own search loaded was deferred, and so was not used before; the rule never saw it used.
      usedInThread: isRebuilt ? noTools : transcript.usedTools,
      ...sessionsOf(conversation, options.history),
      keep: [...options.keep, ...client.coreTools],
      forced,
      weigh: weighTool,
    });
    const found = isRebuilt ? [...transcript.foundBySearch].map(unitOf) : [];
    const units = uniqueSorted([...options.plans.unitsFor(conversation, ruled.units), ...found]);
    const deferred = deferredNames(tools, units, forced);
    if (deferred.length === 0) return nothing('no-seldom-used-tool');
    const decision: Decision = {
      type: 'defer',
      units,
      namesList: namesListText(deferred),
      namesPlace: chooseNamesPlace({
        acceptsSystemMessages: model?.capabilities.systemMessages ?? false,
        messages: (outline.messages?.items ?? []).map(toPlacedMessage),
      }),
      searchTool: searchToolEntry,
      deferredTokensO200k: deferred.reduce((sum, name) => sum + weighTool(name), 0),
      reasons: Object.fromEntries(ruled.reasons),
      ...(isRebuilt ? { isRebuilt } : {}),
    };
    // What can't be carried out at the first request would start to hold in mid-thread.
    const rewrite = rewriteMessages(text, outline, decision);
    if (rewrite.type === 'unchanged') return nothing('no-place-for-names');
    if (!rewrite.keepsMarks) return nothing('no-place-for-mark');
    // Last of all, so that both arms are threads that would be deferred (LE6).
    return isHeldOut(conversation, options.holdoutShare) ? nothing('holdout') : decision;
  }

  return {
    decide(conversation, circumstances) {
      const obstacle = findObstacle(conversation, circumstances, options.history);
      return obstacle === undefined ? decideTools(conversation) : nothing(obstacle);
    },
  };
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

function deferredNames(
  tools: readonly ToolEntry[],
  units: readonly string[],
  forced: string | undefined,
): readonly string[] {
  const indexes = deferredIndexes(tools, new Set(units), forced);
  return [...indexes].flatMap((index) => tools[index]?.name ?? []);
}

function uniqueSorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

/** What stands in the way of any deferral in the thread, the cheapest questions first. */
function findObstacle(
  conversation: Conversation,
  circumstances: Circumstances,
  history: History,
): NothingReason | undefined {
  const { client, model, tenant } = conversation;
  if (circumstances.isBypassed) return 'bypass';
  if (!circumstances.isDeferralOn) return 'deferral-off';
  if (!client.echoesSearch) return 'unknown-client';
  if (!circumstances.hasStore) return 'no-store';
  // A thread that our own search shows to be deferred is live: no wish flips it (O4, O7).
  if (circumstances.isOptedOut !== false && !hasSearchOfOurs(conversation)) {
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

/** LE6: by the hash of the thread's key, so that the same thread is always in the same arm. */
function isHeldOut({ tenant, session, agent }: Conversation, share: number): boolean {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant, session, agent]))
    .digest();
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
