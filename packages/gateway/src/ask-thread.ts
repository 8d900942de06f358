import type { AccountSettings } from './account/settings.ts';
import { isDeferring, isEditing, removalList } from './account/settings.ts';
import { checkKeyOf, type Checks } from './check/checks.ts';
import type { Client } from './clients/table.ts';
import { openingOf, openingShapeOf } from './conversation/opening.ts';
import { type Conversation, hasBoundThinking, type MessagesRequest } from './conversation/read.ts';
import type { Decider } from './decide.ts';
import type { Upstream } from './http/upstream.ts';
import type { TurnOffs } from './refusal/turn-offs.ts';
import type { SearchMemory } from './search/additions.ts';
import type { OptOuts } from './signals/opt-outs.ts';
import type { Decision } from './threads/decision.ts';
import type { RecordPresence } from './threads/presence.ts';
import type { Persistence, ThreadAnswer } from './threads/question.ts';
import type { Threads } from './threads/threads.ts';

/** Asks for the decision of a request's thread; one that has none is decided by the settings as they are now. */
export type AskThread = (
  request: MessagesRequest,
  conversation: Conversation,
  settings: AccountSettings,
) => Promise<ThreadAnswer>;

/** What a decision depends on beside its request. */
export interface AskThreadOptions {
  readonly checks: Checks;
  readonly decider: Decider;
  readonly hasStore: boolean;
  readonly optOuts: OptOuts;
  readonly presence: RecordPresence;
  /** How long the store may take to tell of an opt-out. */
  readonly readMs: number;
  readonly search: SearchMemory;
  readonly threads: Threads;
  readonly turnOffs: TurnOffs;
  readonly upstream: Upstream;
}

/** What is asked for costs nothing where the thread is known: settings, opt-outs and verdicts are looked at for a new one. */
export function createAskThread(options: AskThreadOptions): AskThread {
  const { optOuts, presence, search, threads, turnOffs } = options;

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
      loadedBefore: isDeferralOn && hasStore ? await search.loadedBefore(conversation) : [],
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

  return (request, conversation, settings) => {
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
      openingShape: openingShapeOf(conversation),
      decide: () => decide(request, conversation, settings),
    });
  };
}

/** PR5. */
export function isBypass({ headers }: MessagesRequest): boolean {
  return headers['x-quartermaster-bypass'] === 'true';
}

/**
 * Presets that edit keep thread records; the others honour those that live threads have (O7). Where nothing is deferred,
 * clients that are not recognised have nothing to be recorded while their account lists nothing for removal.
 */
function persistenceFor(settings: AccountSettings, client: Client, mayHaveRecords: boolean): Persistence {
  const isRecorded = client.echoesSearch || isDeferring(settings) || removalList(settings).length > 0;
  if (isEditing(settings.preset) && isRecorded) return 'claim';
  return client.echoesSearch || mayHaveRecords ? 'read' : 'memory';
}
