import type { IncomingHttpHeaders } from 'node:http';
import type { Catalog, Model } from '@quartermaster/catalog';
import type { NamesPlace } from '@quartermaster/deferral';
import { applyEdits, type MessagesOutline, outlineMessages } from '@quartermaster/wire';
import type { CheckKey, Checks } from './check/checks.ts';
import { type Client, recogniseClient } from './clients/table.ts';
import { identify } from './conversation/identity.ts';
import { projectOf } from './conversation/project.ts';
import { transcriptOf } from './conversation/transcript.ts';
import { type Counters, increment } from './counters.ts';
import type { Decider } from './decide.ts';
import type { History } from './history.ts';
import { decodeBody } from './http/encoding.ts';
import type { Upstream } from './http/upstream.ts';
import { latin1Of } from './latin1.ts';
import type { Log, Preset } from './options.ts';
import { rewriteMessages } from './rewrite/anthropic.ts';
import { hasDuplicateNames, kindOf } from './rewrite/tools.ts';
import type { Persistence, ThreadAnswer, Threads } from './threads/threads.ts';

/** A Messages request that has been read whole. */
export interface MessagesRequest {
  readonly tenant: string;
  readonly headers: IncomingHttpHeaders;
  /** With its query. */
  readonly path: string;
  /** As it came, in the client's own encoding. */
  readonly body: Buffer;
}

/** What goes upstream: the very bytes that came, an edited body (plain), or nothing yet. */
export type MessagesPlan =
  | { readonly type: 'unchanged'; readonly reason: string }
  | { readonly type: 'edited'; readonly body: Buffer }
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
  readonly threads: Threads;
}

/** Plans Messages requests. Any doubt or fault ends as `unchanged` with a counted reason (law 7). */
export interface MessagesPlanner {
  plan(request: MessagesRequest): Promise<MessagesPlan>;
}

export function createMessagesPlanner(options: MessagesPlannerOptions): MessagesPlanner {
  const { counters } = options;

  async function planSafely(request: MessagesRequest): Promise<MessagesPlan> {
    const decoded = await decodeBody(request.body, request.headers['content-encoding'], options.maxBodyBytes);
    if (decoded.type === 'refused') return { type: 'unchanged', reason: decoded.reason };
    const text = latin1Of(decoded.body);
    const read = outlineMessages(text);
    if (read.type === 'refused') return { type: 'unchanged', reason: read.reason };
    const tools = read.outline.tools?.items ?? [];
    // Q5: titles, probes and side calls are neither sessions nor uses.
    if (tools.every((tool) => kindOf(tool) === 'server'))
      return { type: 'unchanged', reason: 'no-client-tools' };
    if (hasDuplicateNames(tools)) return { type: 'unchanged', reason: 'duplicate-tool-names' };
    return planConversation(request, text, read.outline);
  }

  async function planConversation(
    request: MessagesRequest,
    text: string,
    outline: MessagesOutline,
  ): Promise<MessagesPlan> {
    const { tenant, headers } = request;
    const client = recogniseClient(headers);
    const { session, agent } = identify({ client, headers, outline, text });
    const project = projectOf({ client, headers, outline, text }, options.salt);
    const transcript = transcriptOf(outline);
    const declared = (outline.tools?.items ?? []).flatMap(({ name }) => name ?? []);
    const model = outline.model === undefined ? undefined : options.catalog.find(outline.model);
    const isBypassed = headers['x-quartermaster-bypass'] === 'true';
    options.history.record({ tenant, session, project, declared, used: transcript.usedTools });
    const answer = await options.threads.decisionFor({
      key: { tenant, session, agent },
      persistence: persistenceFor(options.preset, client),
      hasAssistantTurns: transcript.hasAssistantTurns,
      hasBoundThinking: transcript.hasSignedThinking && (model?.capabilities.boundThinking ?? true),
      decide: () =>
        options.decider.decide({
          text,
          outline,
          client,
          model,
          session,
          tenant,
          project,
          usedInThread: transcript.usedTools,
          hasAssistantTurns: transcript.hasAssistantTurns,
          isBypassed,
          isDeferralOn: options.preset === 'ultrahigh' && options.defer === 'auto',
          hasStore: options.hasStore,
          verdict: () =>
            options.checks.verdict(checkKeyOf(options.upstream, outline.model, request.path), {
              upstream: options.upstream,
              headers,
              path: request.path,
            }),
        }),
    });
    countAnswer(answer, { isBypassed, hasAssistantTurns: transcript.hasAssistantTurns });
    if (answer.type === 'wait') return { type: 'wait' };
    if (answer.type === 'unreadable') return { type: 'unchanged', reason: 'record-unreadable' };
    const { decision } = answer;
    if (decision.type === 'nothing') return { type: 'unchanged', reason: decision.reason };
    if (!canTake(model, decision.namesPlace)) return { type: 'unchanged', reason: 'other-model' };
    const rewrite = rewriteMessages(text, outline, decision);
    if (rewrite.type === 'unchanged') return rewrite;
    return { type: 'edited', body: Buffer.from(applyEdits(text, rewrite.edits), 'latin1') };
  }

  function countAnswer(
    answer: ThreadAnswer,
    { isBypassed, hasAssistantTurns }: { readonly isBypassed: boolean; readonly hasAssistantTurns: boolean },
  ): void {
    if (answer.type !== 'decided') {
      counters.recordUnreadable += 1;
      if (answer.type === 'unreadable' && hasAssistantTurns) counters.flips += 1;
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

/** Only `ultrahigh` keeps thread records; another preset honours those that live threads have (O7). */
function persistenceFor(preset: 'observe' | 'ultrahigh', client: Client): Persistence {
  if (!client.echoesSearch) return 'memory';
  return preset === 'ultrahigh' ? 'claim' : 'read';
}

function checkKeyOf(upstream: Upstream, model: string | undefined, path: string): CheckKey {
  return { upstream: upstream.name, model: model ?? '', route: path.split('?', 1)[0] ?? path };
}

/** O7: a thread's request to a model that can't carry the decision out is another cache, and goes as it came. */
function canTake(model: Model | undefined, place: NamesPlace): boolean {
  if (model?.capabilities.toolSearch !== true) return false;
  return place === 'top-level-system' || model.capabilities.systemMessages;
}
