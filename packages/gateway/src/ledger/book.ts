import type { Model } from '@quartermaster/catalog';
import { type PromptArm, sumPrompt, tokensPerSearch, unitOf } from '@quartermaster/deferral';
import type { Usage } from '@quartermaster/wire';
import type { AnswerFacts } from '../tap/answer.ts';
import type { Tapped } from '../tap/tap.ts';
import { type Bill, readBill } from './bill.ts';
import { type CacheShadow, createCacheShadow, type ShadowHit } from './cache-shadow.ts';
import { layOut } from './layout.ts';
import type { OpenedRequest } from './ledger-request.ts';
import { namePrefixes, type Prefixes } from './prefixes.ts';
import { createRatios } from './ratios.ts';
import { searchOutput, type SearchCost, settle, type Settlement, trustedHits } from './settle.ts';
import type { Weigher } from './weigher.ts';
import { toPromptParts, type Weight, weighDefinition, weighParts } from './weights.ts';

/** What one request comes to. `unknown`: it was billed, but what is not known. */
export type Booking = {
  readonly status: number;
  readonly atMs: number;
  /** As the provider told it. */
  readonly usage: Usage | undefined;
  /** Searches that deferral led to; imagined ones in a projection. */
  readonly searches: number;
  readonly droppedSearches: number;
} & (
  | { readonly type: 'settled'; readonly settlement: Settlement }
  | { readonly type: 'unknown' | 'not-billed' }
);

/** Keeps one tenant's books: what its requests were billed, and what they would have been in the other arm. */
export interface Bookkeeper {
  /** Reads the request and both caches as they are when its answer begins. */
  open(request: OpenedRequest): Promise<Page>;
  /** Settles it when its answer is over; a request that could not be opened has no page. */
  close(request: OpenedRequest, page: Page | undefined, tapped: Tapped): Promise<Booking>;
  /** What it believes of the provider's cache, for another process to go on with. */
  readonly shadow: Pick<CacheShadow, 'restore' | 'takeChanged'>;
}

/** What is known of a request before it is settled. */
export interface Page {
  readonly prefixes: Prefixes;
  readonly weights: readonly Weight[];
  readonly found: Readonly<Record<PromptArm, ShadowHit>>;
}

/** Of one tenant; `weigher` may serve several, since a text weighs the same for all. */
export function createBookkeeper({ weigher }: { readonly weigher: Weigher }): Bookkeeper {
  const shadow = createCacheShadow();
  const ratios = createRatios();

  async function settlePage(
    request: OpenedRequest,
    { prefixes, weights, found }: Page,
    { model, facts }: { readonly model: Model; readonly facts: AnswerFacts },
  ): Promise<Settlement | undefined> {
    const from = armOf(request);
    const loadedO200k = await weighTools(request, facts.loaded);
    const bill = readBill(facts, {
      hasMarks: prefixes.parts.some(({ marks }) => marks[from] !== undefined),
      loadedTokens: loadedO200k * ratios.of(model),
    });
    if (bill === undefined) return undefined;
    if (!request.conversation.transcript.hasAssistantTurns) measure(model, bill, { prefixes, weights, from });
    const ratio = ratios.of(model);
    const settlement = settle({
      model,
      parts: toPromptParts(prefixes.parts, weights, ratio),
      from,
      bill,
      hits: trustedHits(found, from, bill),
      search: await searchCost(request, facts, ratio),
    });
    const { writes } = settlement.recast;
    shadow.write('deferred', prefixes, writes.deferred, request.answeredAtMs);
    shadow.write('undeferred', prefixes, writes.undeferred, request.answeredAtMs);
    return settlement;
  }

  /** LE2: billed to o200k, at a thread's first request, whose parts were all counted. */
  function measure(
    model: Model,
    { prompt }: Bill,
    { prefixes, weights, from }: { readonly from: PromptArm } & Pick<Page, 'prefixes' | 'weights'>,
  ): void {
    const shown = weights.filter((_, index) => [from, 'both'].includes(prefixes.parts[index]?.arm ?? 'both'));
    if (!shown.every(({ isCounted }) => isCounted)) return;
    const o200k = shown.reduce((sum, weight) => sum + weight.o200k, 0);
    ratios.add(model, { billedTokens: sumPrompt(prompt), o200k });
  }

  async function searchCost(request: OpenedRequest, facts: AnswerFacts, ratio: number): Promise<SearchCost> {
    if (request.isProjection) {
      const tools = imaginedSearches(request, facts);
      const inputTokens = (await weighTools(request, tools)) * ratio;
      return { outputTokens: tools.length * tokensPerSearch, inputTokens };
    }
    if (searchesOf(request, facts) === 0) return { outputTokens: 0, inputTokens: 0 };
    const { searchTexts, searches } = facts;
    let o200k = 0;
    for (const text of searchTexts) o200k += await weigher.weigh(text);
    return { outputTokens: searchOutput(o200k, searches - searchTexts.length, ratio), inputTokens: 0 };
  }

  async function weighTools({ conversation }: OpenedRequest, names: Iterable<string>): Promise<number> {
    let o200k = 0;
    for (const name of names) o200k += await weighDefinition(name, conversation, weigher);
    return o200k;
  }

  return {
    shadow,
    async open(request) {
      const { conversation, deferral, removal, isProjection, startedAtMs } = request;
      const parts = layOut(conversation, deferral, { imaginesSearches: isProjection, removal });
      const prefixes = namePrefixes(parts, {
        model: conversation.modelId,
        hasOwnDeferred: (conversation.outline.tools?.items ?? []).some(({ isDeferred }) => isDeferred),
        messages: JSON.stringify(conversation.outline.toolChoice ?? null),
      });
      const found = {
        deferred: shadow.read('deferred', prefixes, startedAtMs),
        undeferred: shadow.read('undeferred', prefixes, startedAtMs),
      };
      return { prefixes, found, weights: await weighParts(parts, conversation, weigher) };
    },
    async close(request, page, tapped) {
      const facts = tapped.type === 'told' ? tapped.facts : undefined;
      const base = {
        status: request.status,
        atMs: request.startedAtMs,
        usage: facts?.usage,
        searches: facts === undefined ? 0 : searchesOf(request, facts),
        droppedSearches: facts?.droppedSearches ?? 0,
      };
      if (tapped.type === 'not-billed') return { ...base, type: 'not-billed' };
      const { model } = request.conversation;
      if (page === undefined || facts === undefined || model === undefined)
        return { ...base, type: 'unknown' };
      const settlement = await settlePage(request, page, { model, facts });
      return settlement === undefined
        ? { ...base, type: 'unknown' }
        : { ...base, type: 'settled', settlement };
    },
  };
}

/** The prompt that went upstream: in `observe` the client's own, whatever would have been done to it. */
function armOf({ isProjection }: OpenedRequest): PromptArm {
  return isProjection ? 'undeferred' : 'deferred';
}

function searchesOf(request: OpenedRequest, facts: AnswerFacts): number {
  if (request.isProjection) return imaginedSearches(request, facts).length;
  const { deferral } = request;
  if (deferral === undefined) return 0;
  const units = new Set(deferral.decision.units);
  const hasLoadedOurs = [...facts.loaded].some((name) => units.has(unitOf(name)));
  return deferral.shape.hasSearchEntry || hasLoadedOurs ? facts.searches : 0;
}

/** Tools that the answer calls and that would have had to be searched for first. */
function imaginedSearches({ conversation, deferral }: OpenedRequest, facts: AnswerFacts): readonly string[] {
  const units = new Set(deferral?.decision.units);
  const { calledTools } = conversation.transcript;
  return [...facts.calls].filter((name) => units.has(unitOf(name)) && !calledTools.has(name));
}
