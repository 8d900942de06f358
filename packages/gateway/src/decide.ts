import { createHash } from 'node:crypto';
import { chooseNamesPlace, decideDeferral, namesListText, searchToolEntry } from '@quartermaster/deferral';
import type { ToolEntry } from '@quartermaster/wire';
import type { Conversation } from './conversation/read.ts';
import type { History } from './history.ts';
import { textOf } from './latin1.ts';
import { rewriteMessages, toPlacedMessage } from './rewrite/anthropic.ts';
import { declaredTools } from './rewrite/tools.ts';
import type { Decision, NothingReason } from './threads/decision.ts';

/** What a new thread's decision depends on beside its conversation; nothing is asked for while it is made. */
export interface Circumstances {
  readonly isBypassed: boolean;
  readonly isDeferralOn: boolean;
  readonly hasStore: boolean;
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
  readonly keep: readonly string[];
  readonly holdoutShare: number;
}): Decider {
  const weigh = createScale(options.countTokens);

  function decideTools(conversation: Conversation): Decision {
    const { outline, text, tenant, session, project, client, model, transcript } = conversation;
    const tools = outline.tools?.items ?? [];
    const entries = new Map(tools.flatMap((tool) => (tool.name === undefined ? [] : [[tool.name, tool]])));
    const weighNamed = (name: string): number => weighEntry(entries.get(name), text, weigh);
    const { history } = options;
    const ruled = decideDeferral({
      tools: declaredTools(tools),
      usedInThread: transcript.usedTools,
      tenantSessions: history.newest(tenant, session, tenantSessions),
      projectSessions: history.newestOfProject(tenant, project, session, projectSessions),
      keep: [...options.keep, ...client.coreTools],
      forced: outline.toolChoice?.name,
      weigh: weighNamed,
    });
    if (ruled.units.length === 0) return nothing('no-seldom-used-tool');
    const decision: Decision = {
      type: 'defer',
      units: ruled.units,
      namesList: namesListText(ruled.tools),
      namesPlace: chooseNamesPlace({
        acceptsSystemMessages: model?.capabilities.systemMessages ?? false,
        messages: (outline.messages?.items ?? []).map(toPlacedMessage),
      }),
      searchTool: searchToolEntry,
      deferredTokensO200k: ruled.tools.reduce((sum, name) => sum + weighNamed(name), 0),
      reasons: Object.fromEntries(ruled.reasons),
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

/** What stands in the way of any deferral in the thread, the cheapest questions first. */
function findObstacle(
  { client, model, tenant, transcript }: Conversation,
  circumstances: Circumstances,
  history: History,
): NothingReason | undefined {
  if (circumstances.isBypassed) return 'bypass';
  if (!circumstances.isDeferralOn) return 'deferral-off';
  if (!client.echoesSearch) return 'unknown-client';
  if (!circumstances.hasStore) return 'no-store';
  if (model === undefined) return 'model-unknown';
  if (!model.capabilities.toolSearch) return 'model-without-tool-search';
  if (transcript.hasAssistantTurns) return 'older-conversation';
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

function weighEntry(entry: ToolEntry | undefined, text: string, weigh: (latin1: string) => number): number {
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
