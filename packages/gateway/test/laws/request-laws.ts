import type { Body } from '../support/anthropic-body.ts';
import type { ArrivedRequest } from '../support/simulated.ts';
import {
  additionsOf,
  danglingReferences,
  hasNamesList,
  illegalitiesOf,
  isSentUndone,
  referencesIn,
} from './additions.ts';
import type { Counts, Run } from './ground.ts';

/** A broken law, by its number. */
export class BrokenLaw extends Error {
  constructor(law: number, what: string) {
    super(`law ${law}: ${what}`);
    this.name = 'BrokenLaw';
  }
}

/** What one client's request came to: everything that arrived for it at the provider, and what was counted. */
export interface Outcome {
  readonly sent: string;
  readonly arrived: readonly ArrivedRequest[];
  /** The status that the client saw. */
  readonly status: number;
  readonly news: Counts;
}

/** Whether a request has the provider go on with a turn (Q4): no client of ours ends with what the model said. */
export function isContinuation({ body }: ArrivedRequest): boolean {
  return (JSON.parse(body) as Body).messages.at(-1)?.role === 'assistant';
}

/** Q4: a turn goes on from where it stopped, a few times, and each is counted. */
export function checkContinuations(
  first: ArrivedRequest,
  continued: readonly ArrivedRequest[],
  news: Counts,
): void {
  if (continued.length !== (news['continuations'] ?? 0) || continued.length > 5)
    throw new BrokenLaw(
      7,
      `${continued.length} continuations, of which ${news['continuations']} are counted`,
    );
  const { renderedPrefixHashes: before } = first.request;
  for (const { request } of continued) {
    const isGrown = before.every((hash, at) => request.renderedPrefixHashes[at] === hash);
    if (request.status !== 200 || !isGrown)
      throw new BrokenLaw(3, `a turn was continued elsewhere: ${request.error?.message ?? 'another prefix'}`);
  }
}

/** Laws 1, 2, 5, 6 and 7, of a single request. */
export function checkOutcome({ sent, arrived, status, news }: Outcome): void {
  checkCounted(news);
  const [first, ...again] = arrived;
  if (first === undefined) {
    if (status !== 503) throw new BrokenLaw(7, `nothing reached the provider, and the answer is ${status}`);
    return;
  }
  const isRewritten = news['requests_rewritten'] === 1;
  const isWithoutPrefix = news['unchanged_reasons.prefix-lost'] !== undefined;
  if (isRewritten) checkRewritten(first.body, sent);
  else if (!isWithoutPrefix) checkIdentity(first.body, sent);
  // RF1: what we changed goes once more as it came. RF4: what is sent then has one member more.
  if ((isRewritten || isWithoutPrefix) && again[0] !== undefined) checkIdentity(again[0].body, sent);
  if (again.length > 2) throw new BrokenLaw(7, `one request was sent ${arrived.length} times`);
}

export function checkIdentity(upstream: string, sent: string): void {
  if (upstream !== sent)
    throw new BrokenLaw(1, 'a request without an edit reached the provider with other bytes');
}

function checkRewritten(upstream: string, sent: string): void {
  const { deferred, namesLists, defined } = additionsOf(upstream, sent);
  // Q3: a request that the decision has nothing to do with may still need a declaration.
  const isResolvedOnly = namesLists === 0 && defined.length > 0 && defined.length === deferred.length;
  const hasDeferred = /"defer_loading":\s*true/.test(upstream);
  if (!isResolvedOnly && (!hasDeferred || namesLists !== 1))
    throw new BrokenLaw(2, `${deferred.length} deferred tools and ${namesLists} names lists`);
  if (!isSentUndone(upstream, sent))
    throw new BrokenLaw(2, 'without our additions it is not what the client sent');
  const dangling = danglingReferences(upstream);
  if (dangling.length > 0) throw new BrokenLaw(5, `nothing defines ${dangling.join()}`);
  const [illegality] = illegalitiesOf(upstream);
  if (illegality !== undefined) throw new BrokenLaw(6, illegality);
}

/** Law 7: a request is rewritten, or left alone for one counted reason, or answered with a counted error. */
function checkCounted(news: Counts): void {
  const outcomes = Object.entries(news)
    .filter(([name]) => /^(requests_rewritten|unchanged_reasons|own_errors)/.test(name))
    // Q4: of a turn that the provider does not come to an end of, both are true.
    .filter(([name]) => name !== 'own_errors.GATEWAY_TURN_UNFINISHED')
    .reduce((sum, [, number]) => sum + number, 0);
  if (outcomes !== 1)
    throw new BrokenLaw(7, `${outcomes} outcomes are counted for one request: ${JSON.stringify(news)}`);
}

/** Law 4: where a request with a deferred tool arrives, its decision can be read. */
export function findUndurable(run: Run, { request, body }: ArrivedRequest): BrokenLaw | undefined {
  if (!/"defer_loading":true\s*\}/.test(body) || isResolvedOnly(request, body)) return undefined;
  const stored = run.storedDecisions(request.session ?? '', request.agent ?? 'main');
  const defers = (text: string): boolean => {
    const { units = [] } = JSON.parse(text) as { readonly units?: readonly string[] };
    return request.toolsDeferred
      .filter((name) => name !== 'Placeholder' && name !== 'quartermaster_placeholder')
      .every((name) => units.some((unit) => name === unit || name.startsWith(`${unit}__`)));
  };
  if (stored.some(defers)) return undefined;
  const told = stored.join(' or ') || 'nothing at all';
  return new BrokenLaw(4, `a deferred tool arrived while the store says ${told}`);
}

/** Q3: what searches of the transcript loaded is declared whatever the decision, and then no names are listed. */
function isResolvedOnly({ toolsDeferred }: ArrivedRequest['request'], body: string): boolean {
  const loaded = referencesIn((JSON.parse(body) as Body).messages);
  return !hasNamesList(body) && toolsDeferred.every((name) => loaded.includes(name));
}

/** The rule by which a request of a known thread went another way than the thread does. */
export function exceptionOf(news: Counts): string | undefined {
  if (news['unchanged_reasons.other-model'] !== undefined) return 'O7: another model';
  if (news['unchanged_reasons.prefix-lost'] !== undefined) return 'RF4: after a lost prefix';
  if (news['retries_400'] !== undefined)
    return news['flips'] === undefined ? 'RF3: refused one way or both' : 'RF4: lost prefix';
  if (news['flips'] !== undefined) return 'O3: flip';
  return news['record_unreadable'] === undefined ? undefined : 'O3: unreadable at a first request';
}
